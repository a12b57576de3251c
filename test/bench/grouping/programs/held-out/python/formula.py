# Evaluates formulas of a spreadsheet in prefix notation.
# case apply division: eval /,6,0 | eval +,1,/,7,0 | cell B7 -,4,/,12,0 | cell A1 *,2,+,3,/,9,0
# case apply operator: eval %,6,2 | eval +,1,^,2,3 | cell C12 -,4,&,1,2 | cell D9 *,2,+,3,<,9,1
# case operand name: eval +,price,1 | eval *,2,total_9 | cell B2 /,net,4 | cell F4 -,1,+,2,vat7
# case operand end: eval + | eval *,2 | cell A9 +,1,-,3 | cell ZZ3 /,1,*
import sys


class FormulaError(Exception):
    pass


class CellError(FormulaError):
    def __init__(self, cell):
        super().__init__(f"cell {cell} has no value")


OPERATORS = {
    "+": lambda a, b: a + b,
    "-": lambda a, b: a - b,
    "*": lambda a, b: a * b,
    "/": lambda a, b: a / b,
}


def operand(words, position):
    if position >= len(words):
        raise FormulaError(f"the formula ends after {position} words, an operand was expected")
    word = words[position]
    if word[0].isalpha():
        raise FormulaError(f"the name {word} at position {position} is not defined")
    return word


def apply(sign, left, right):
    if sign not in OPERATORS:
        raise FormulaError(f"unknown operator '{sign}'")
    return OPERATORS[sign](left, right)


def evaluate(words, position=0):
    word = operand(words, position)
    if word.isdigit():
        return int(word), position + 1
    left, position = evaluate(words, position + 1)
    right, position = evaluate(words, position)
    return apply(word, left, right), position


def cell(name, words):
    try:
        return evaluate(words)[0]
    except (FormulaError, ArithmeticError) as error:
        raise CellError(name) from error


if sys.argv[1] == "eval":
    print(evaluate(sys.argv[2].split(",")))
else:
    print(cell(sys.argv[2], sys.argv[3].split(",")))
