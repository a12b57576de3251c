# Loads rows of a price list into a table; fails with the language's own errors.
# case convert number: load 1;tea;4,50 | load 7;cup;n/a | replay 12;pot;EUR-3 3 | replay 8;jug;? 1
# case convert columns: load 1;tea | load 99 | replay 4;cup 2 | replay 7 4
# case lookup supplier: find acme-7 tea | find Ostwind cup | report norte_2 pot | report x91 tea
# case lookup article: find north lamp | find south BX-200 | report north sofa | report south chair-9
import sys

SUPPLIERS = {"north": {"tea": 3}, "south": {"cup": 9}}


def convert(line):
    fields = line.split(";")
    number, name = int(fields[0]), fields[1]
    price = float(fields[2])
    return number, name, price


def lookup(supplier, article):
    prices = SUPPLIERS[supplier]
    return prices[article]


def replay(line, times):
    if times == 0:
        return convert(line)
    return replay(line, times - 1)


def report(supplier, article):
    totals = {}
    for count in (1, 2):
        totals[count] = count * lookup(supplier, article)
    return totals


def main(command, first, second="0"):
    match command:
        case "load":
            print(convert(first))
        case "replay":
            print(replay(first, int(second)))
        case "find":
            print(lookup(first, second))
        case "report":
            print(report(first, second))


if __name__ == "__main__":
    main(*sys.argv[1:])
