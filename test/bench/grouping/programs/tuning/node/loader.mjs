// Loads rows of a price list; fails with the engine's own errors.
// case convert columns: load 1;tea | load 99 | replay 4;cup | replay 7
// case convert precision: load 1;tea;4;101 | load 7;cup;9;400 | replay 12;pot;3;-1 | replay 8;jug;1;999
// case lookup supplier: find acme-7 tea | find Ostwind cup | report norte_2 pot | report x91 tea
// case lookup article: find north lamp | find south BX-200 | report north sofa | report south chair-9

const SUPPLIERS = { north: { tea: { price: 3 } }, south: { cup: { price: 9 } } };

function convert(line) {
  const [number, name, price, digits = '2'] = line.split(';');
  const amount = Number(price.trim());
  return { number, name, price: amount.toFixed(Number(digits)) };
}

function lookup(supplier, article) {
  const articles = SUPPLIERS[supplier];
  const entry = articles[article];
  return entry.price;
}

const report = (articles, supplier) => articles.reduce((sum, article) => sum + lookup(supplier, article), 0);

function replay(line, times) {
  if (times === 0) return convert(line);
  return replay(line, times - 1);
}

function main([command, first, second]) {
  switch (command) {
    case 'load':
      return convert(first);
    case 'replay':
      return replay(first, first.length % 5);
    case 'find':
      return lookup(first, second);
    default:
      return report([second], first);
  }
}

console.log(main(process.argv.slice(2)));
