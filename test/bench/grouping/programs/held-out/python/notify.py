# Sends notifications over several channels at once.
# case render field: mail welcome user=ada | mail reset name=bob | later receipt user=cy,sum=3 | later welcome x=1
# case render template: mail wellcome name=a | mail invoice-de name=b | later ad_7 name=c | later promo.2 name=d
# case deliver limit: send ada 200 | send bob 161 | fan cy,dee 400 | fan eve 999
# case deliver blocked: send spam-7 10 | send spam.example 5 | fan spam1,spam2 3 | fan spam-eu 90
import asyncio
import sys

TEMPLATES = {"welcome": "Hello {name}", "reset": "{name}: {link}", "receipt": "{user} paid {total}"}


class TemplateError(LookupError):
    pass


class DeliveryError(Exception):
    def __init__(self, reason, to):
        super().__init__(f"cannot deliver to <{to}>: {reason}")


def render(template, fields):
    try:
        return TEMPLATES[template].format(**fields) if template in TEMPLATES else None
    except KeyError as error:
        raise TemplateError(f"template {template} needs the field {error}") from error


def message(template, fields):
    text = render(template, fields)
    if text is None:
        raise TemplateError(f"template {template} does not exist")
    return text


async def deliver(to, text):
    await asyncio.sleep(0)
    if to.startswith("spam"):
        raise DeliveryError("the address is blocked", to)
    if len(text) > 160:
        raise DeliveryError(f"{len(text)} characters are too long", to)


async def fan(names, text):
    async with asyncio.TaskGroup() as group:
        for name in names:
            group.create_task(deliver(name, text))


def later(*args):
    queue = [lambda: message(*args)]
    return [send() for send in queue]


def main(command, first, second):
    fields = dict(pair.split("=") for pair in second.split(",") if "=" in pair)
    if command == "mail":
        message(first, fields)
    elif command == "later":
        later(first, fields)
    elif command == "send":
        asyncio.run(deliver(first, "x" * int(second)))
    else:
        asyncio.run(fan(first.split(","), "x" * int(second)))


main(*sys.argv[1:])
