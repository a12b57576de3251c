# Makes invoices from subscriptions and charges them.
# case amount currency: bill 17 EURO | bill 981 Usd | preview 5 yen | bill 44 XXX
# case amount negative: bill 17 EUR -5 | preview 8123 USD -0.75 | bill 3 EUR -120 | bill 90 USD -1
# case charge declined: collect cus_8812 4000 | collect cus_1 9125 | dunning cus_77a 5000 3 | dunning cus_90 6100 1
# case charge gateway: collect test_8 12 | collect test_a1 99.5 | dunning test_113 7 2 | dunning test_x 25 4
import sys
from decimal import Decimal


class BillingError(Exception):
    def __init__(self, message, invoice=None):
        super().__init__(message if invoice is None else f"invoice {invoice}: {message}")


class GatewayError(ConnectionError):
    pass


def amount(number, currency, value):
    if currency not in {"EUR", "USD", "CHF"}:
        raise BillingError(f"unknown currency {currency}", number)
    if value < 0:
        raise BillingError(f"negative total of {value} {currency}", number)
    return f"{value:.2f} {currency}"


def send(customer, value):
    if customer.startswith("test_"):
        raise GatewayError(f"pay-{len(customer)}.example.net:443 refused the connection")
    return value < 1000


def charge(customer, value):
    try:
        accepted = send(customer, value)
    except GatewayError as error:
        raise BillingError(f"cannot charge {customer}") from error
    if not accepted:
        raise BillingError(f"card of {customer} was declined for {value}")


def dunning(customer, value, rounds):
    for reminder in range(rounds):
        value += Decimal("2.50") * reminder
    charge(customer, value)


def main(command, name, *rest):
    if command == "bill":
        print(amount(int(name), rest[0], Decimal(rest[1] if rest[1:] else "10")))
    elif command == "preview":
        lines = [amount(int(name), rest[0], Decimal(value)) for value in rest[1:] or ["3.20"]]
        print("\n".join(lines))
    elif command == "collect":
        charge(name, Decimal(rest[0]))
    else:
        dunning(name, Decimal(rest[0]), int(rest[1]))


if __name__ == "__main__":
    main(*sys.argv[1:])
