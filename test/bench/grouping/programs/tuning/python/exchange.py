# Converts money between currencies.
# case rate unknown: convert 12 EUR XAU | convert 3 USD zloty | total 4,5 EUR btc | total 9 CHF Lira
# case rate stale: convert 7 EUR ARS | convert 80 USD ARS | total 1,2,3 CHF TRY | total 88 EUR TRY
# case round precision: split 10 3000 | split 1 999 | settle 5 7001 2 | settle 3 12345 4
# case round zero: split 10 0 | split 99.95 0 | settle 7 0 1 | settle 0.5 0 3
import sys
from dataclasses import dataclass
from decimal import Decimal

RATES = {"EUR": 1.0, "USD": 1.1, "CHF": 0.95}
STALE = {"ARS": "2021-04-01", "TRY": "2022-11-30"}


@dataclass
class RateError(Exception):
    source: str
    target: str
    reason: str

    def __str__(self):
        return f"no rate from {self.source} to {self.target}: {self.reason}"


class RoundingError(ArithmeticError):
    pass


def rate(source, target):
    if target in STALE:
        raise RateError(source, target, f"the last one is of {STALE[target]}")
    if target not in RATES:
        raise RateError(source, target, "unknown currency")
    return RATES[target] / RATES[source]


def share(amount, people):
    if people == 0:
        raise RoundingError(f"nobody to share {amount} with")
    part = round(amount / people, 2)
    if part * people != amount:
        raise RoundingError(f"{amount} into {people} leaves {amount - part * people}")
    return part


def settle(amount, people, depth):
    return share(amount, people) if depth == 0 else settle(amount, people, depth - 1)


def main(command, first, *rest):
    if command == "convert":
        print(float(first) * rate(*rest))
    elif command == "total":
        print(sum(float(part) * rate(*rest) for part in first.split(",")))
    elif command == "split":
        print(share(Decimal(first), int(rest[0])))
    else:
        print(settle(Decimal(first), int(rest[0]), int(rest[1])))


main(*sys.argv[1:])
