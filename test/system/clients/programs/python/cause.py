class OrderFailed(Exception):
    pass


def price_of(article):
    return {"cup": 4}[article]


def place(article):
    try:
        return price_of(article)
    except KeyError as error:
        raise OrderFailed(f"no order for {article}") from error


place("saucer")
