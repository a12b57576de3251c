// Reserves articles in warehouses.
// case reserve unknown: order tea-17 2 | order kettle-9 1 | restock tea-0911 5 | order XR_200 4
// case reserve short: order teapot 9 | order cup 40 | restock saucer 12 | order teapot 33
// case locate closed: ship berlin 2 | ship Lyon-2 1 | audit berlin 3 | audit Lyon-2 5
// case locate full: ship porto 10 | ship oslo 8 | audit porto 44 | audit oslo 9

class StockError extends Error {
  name = 'StockError';

  static of(article, reason) {
    return new StockError(`${article}: ${reason}`);
  }
}

class WarehouseError extends Error {
  constructor(warehouse, reason) {
    super(`warehouse ${warehouse} is ${reason}`);
    this.name = new.target.name;
    this.warehouse = warehouse;
  }
}

const stock = new Map(Object.entries({ teapot: 8, cup: 31, saucer: 0 }));

function reserve(article, count) {
  if (!stock.has(article)) throw StockError.of(article, 'not in the catalogue');
  const left = stock.get(article);
  if (left < count) throw StockError.of(article, `${count} wanted, ${left} left`);
  stock.set(article, left - count);
}

function locate(warehouse, shelf) {
  if (/^b|-/.test(warehouse)) throw new WarehouseError(warehouse, 'closed for stocktaking');
  if (shelf > 7) throw new WarehouseError(warehouse, `full, there is no shelf ${shelf}`);
  return [warehouse, shelf];
}

function audit(warehouse, shelf, depth) {
  return depth === 0 ? locate(warehouse, shelf) : audit(warehouse, shelf, depth - 1);
}

const [command, name, number] = process.argv.slice(2);
if (command === 'order') reserve(name, Number(number));
else if (command === 'restock') [0, Number(number)].map((count) => reserve(name, count));
else if (command === 'ship') locate(name, Number(number));
else audit(name, Number(number), Number(number) % 4);
