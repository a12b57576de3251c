from concurrent.futures import ProcessPoolExecutor


def share(total, people):
    return total / people


if __name__ == "__main__":
    with ProcessPoolExecutor(1) as pool:
        print(pool.submit(share, 40, 0).result())
