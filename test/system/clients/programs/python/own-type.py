class OutOfStock(Exception):
    pass


def reserve(article, wanted, stock):
    if wanted > stock.get(article, 0):
        raise OutOfStock(f"{article}: {wanted} wanted, {stock.get(article, 0)} left")


def main():
    reserve("teapot", 12, {"teapot": 3})


main()
