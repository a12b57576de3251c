# Reserves articles in warehouses.
# case reserve unknown: order tea-17 2 | order kettle-9 1 | restock tea-0911 5 | order XR_200 4
# case reserve short: order teapot 9 | order cup 40 | restock saucer 12 | order teapot 33
# case locate closed: ship berlin teapot | ship Lyon-2 cup | ship berlin saucer | audit rotterdam 3
# case locate full: ship porto 10 | ship oslo 8 | audit porto 44 | audit oslo 9
import sys

STOCK = {"teapot": 8, "cup": 31, "saucer": 0}
CLOSED = ("berlin", "rotterdam", "Lyon-2")


class StockError(Exception):
    @classmethod
    def of(cls, article, wanted, left):
        return cls(f"only {left} of {article} left, {wanted} wanted")


class UnknownArticle(StockError):
    pass


class WarehouseError(RuntimeError):
    def __init__(self, warehouse, reason):
        self.warehouse = warehouse
        super().__init__(f"warehouse {warehouse} is {reason}")


def reserve(article, count):
    if article not in STOCK:
        raise UnknownArticle(f"no article {article!r} in the catalogue")
    if STOCK[article] < count:
        raise StockError.of(article, count, STOCK[article])
    STOCK[article] -= count


def locate(warehouse, articles):
    if warehouse in CLOSED:
        raise WarehouseError(warehouse, "closed for stocktaking")
    if len(articles) > 3:
        raise WarehouseError(warehouse, f"full: no space for {len(articles)} articles")
    return [(warehouse, shelf) for shelf in range(len(articles))]


def audit(warehouse, depth):
    if depth == 0:
        return locate(warehouse, list(range(9)))
    return audit(warehouse, depth - 1)


def main(command, first, second):
    if command == "order":
        reserve(first, int(second))
    elif command == "restock":
        for count in (0, int(second)):
            reserve(first, count)
    elif command == "ship":
        locate(first, list(range(int(second))) if second.isdigit() else [second])
    else:
        audit(first, int(second))


main(*sys.argv[1:])
