// Evaluates formulas in prefix notation by recursion.
// case apply range: eval pad,6,-1 B1 | eval +,1,pad,7,-5 B2 | cell -,4,pad,12,-3 B7 | cell *,2,+,3,pad,9,-2 A1
// case apply operator: eval %,6,2 C1 | eval +,1,^,2,3 C2 | cell -,4,&,1,2 C12 | cell *,2,+,3,<,9,1 D9
// case operand name: eval +,price,1 E1 | eval *,2,total_9 E2 | cell /,net,4 B2 | cell -,1,+,2,vat7 F4
// case operand end: eval + G1 | eval *,2 G2 | cell +,1,-,3 A9 | cell /,1,* ZZ3

class FormulaError extends Error {
  name = 'FormulaError';
}

class CellError extends FormulaError {
  name = 'CellError';

  static wrap(cell, cause) {
    return new CellError(`cell ${cell} has no value`, { cause });
  }
}

const OPERATORS = {
  '+': (a, b) => a + b,
  '-': (a, b) => a - b,
  '*': (a, b) => a * b,
  '/': (a, b) => a / b,
  pad: (a, b) => '0'.repeat(b) + a,
};

function operand(words) {
  const word = words.shift();
  if (word === undefined) throw new FormulaError('the formula ends too early');
  if (/^[a-z]/.test(word) && !(word in OPERATORS)) throw new FormulaError(`name ${word} is not defined`);
  return word;
}

function apply(sign, left, right) {
  const operator = OPERATORS[sign];
  return operator(left, right);
}

function evaluate(words) {
  const word = operand(words);
  if (/^-?\d+$/.test(word)) return Number(word);
  const left = evaluate(words);
  return apply(word, left, evaluate(words));
}

function cell(name, words) {
  try {
    return evaluate(words);
  } catch (error) {
    throw CellError.wrap(name, error);
  }
}

const [command, text, name] = process.argv.slice(2);
const words = text.split(',');
console.log(command === 'cell' ? cell(name, words) : evaluate(words));
