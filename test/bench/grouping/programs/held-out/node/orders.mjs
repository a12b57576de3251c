// Moves orders through their states; one helper throws for all checks.
// case move transition: move 17 new delivered | move 9001 packed new | bulk 12 shipped packed | bulk 44 delivered new
// case move locked: move 13 new packed | move 1313 packed shipped | bulk 813 new packed | bulk 130013 new packed
// case address country: label 5 Berlin ZZ | label 712 RueDeLyon QQ | reprint 9 Main-St.4 XK | reprint 3 Oslo AA
// case address street: label 5 - DE | label 88 - FR | reprint 12 - NO | reprint 4 - DE

const STATES = ['new', 'packed', 'shipped', 'delivered'];

class OrderProblem extends Error {
  constructor(order, message) {
    super(message);
    this.name = 'OrderProblem';
    this.order = order;
    Error.captureStackTrace?.(this, OrderProblem);
  }
}

function invariant(holds, order, message) {
  if (!holds) throw new OrderProblem(order, typeof message === 'function' ? message() : message);
}

class Order {
  constructor(number) {
    this.number = number;
  }

  move(from, to) {
    invariant(this.number % 100 !== 13, this, `order ${this.number} is locked by the audit`);
    const isNext = STATES.indexOf(to) === STATES.indexOf(from) + 1;
    invariant(isNext, this, () => `order ${this.number} cannot go from "${from}" to "${to}"`);
  }

  address(street, country) {
    invariant(street !== '-', this, `order ${this.number} has no street`);
    invariant(/^(DE|FR|NO)$/.test(country), this, `order ${this.number}: we do not ship to ${country}`);
  }
}

function* numbered(first, count) {
  for (let number = first; number < first + count; number++) yield new Order(number);
}

const [command, text, first, second] = process.argv.slice(2);
const number = Number(text);
if (command === 'move') new Order(number).move(first, second);
else if (command === 'bulk') for (const order of numbered(number, 3)) order.move(first, second);
else if (command === 'label') new Order(number).address(first, second);
else queueMicrotask(() => new Order(number).address(first, second));
