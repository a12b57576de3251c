# Moves orders through their states; one helper raises for all checks.
# case move transition: move 17 new delivered | move 9001 packed new | bulk 1,2 shipped packed | bulk 44 delivered new
# case move locked: move 13 new packed | move 1313 packed shipped | bulk 8,13 new packed | bulk 130013 new packed
# case address country: label 5 Berlin,ZZ | label 712 Rue.de.Lyon,QQ | reprint 9 Main-St.4,XK | reprint 3 Oslo,AA
# case address street: label 5 ,DE | label 88 ,FR | reprint 12 ,NO | reprint 4 ,DE
import sys

NEXT = {"new": ["packed"], "packed": ["shipped"], "shipped": ["delivered"], "delivered": []}


class OrderProblem(Exception):
    pass


class IllegalMove(OrderProblem):
    pass


class BadAddress(OrderProblem):
    pass


def refuse(kind, message, *values):
    raise kind(message % values)


def guarded(action):
    def checked(order, *args):
        if order <= 0:
            refuse(OrderProblem, "order numbers start at 1, not %d", order)
        return action(order, *args)

    return checked


@guarded
def move(order, state, to):
    if str(order).endswith("13"):
        refuse(IllegalMove, "order %d is locked by the audit", order)
    if to not in NEXT[state]:
        refuse(IllegalMove, "order %d cannot go from %s to %s", order, state, to)
    return to


@guarded
def address(order, text):
    street, country = text.split(",")
    if not street:
        refuse(BadAddress, "order %d has no street", order)
    if country not in ("DE", "FR", "NO"):
        refuse(BadAddress, "order %d: we do not ship to %s", order, country)
    return street.upper()


def reprint(order, text):
    return [address(number, text) for number in range(order, order + 2)]


def main(command, first, *rest):
    if command == "move":
        move(int(first), *rest)
    elif command == "bulk":
        for number in first.split(","):
            move(int(number), *rest)
    elif command == "label":
        address(int(first), rest[0])
    else:
        reprint(int(first), rest[0])


main(*sys.argv[1:])
