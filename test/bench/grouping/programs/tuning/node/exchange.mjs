// Converts money; errors are made by a factory.
// case rate unknown: convert EUR XAU 12 | convert USD zloty 3 | total EUR btc 4 | total CHF Lira 9
// case rate stale: convert EUR ARS 7 | convert USD ARS 80 | total CHF TRY 6 | total EUR TRY 88
// case share zero: split 10 EUR 0 | split 99.95 USD 0 | settle 7 EUR 0 | settle 0.5 CHF 0
// case share rest: split 10 EUR 3 | split 1 USD 9 | settle 5 EUR 7 | settle 3 CHF 11

function errorKind(name, text) {
  return class extends Error {
    constructor(...values) {
      super(text.replace(/%s/g, () => values.shift()));
      this.name = name;
    }
  };
}

const UnknownCurrency = errorKind('RateError', 'no rate from %s to %s');
const StaleRate = errorKind('RateError', 'rate %s/%s is of %s');
const Nobody = errorKind('ShareError', 'nobody to share %s %s with');
const Rest = errorKind('ShareError', '%s %s cannot be shared by %s');

const RATES = { EUR: 1, USD: 1.1 };
const STALE = { ARS: '2021-04-01', TRY: '2022-11-30' };

function rate(from, to) {
  if (to in STALE) throw new StaleRate(from, to, STALE[to]);
  if (!(to in RATES)) throw new UnknownCurrency(from, to);
  return RATES[to];
}

const share = (amount, currency, people) => {
  if (people === 0) throw new Nobody(amount, currency);
  const part = Math.round((amount * 100) / people) / 100;
  if (part * people !== amount) throw new Rest(amount, currency, people);
  return part;
};

function settle(depth, ...args) {
  return depth > 0 ? settle(depth - 1, ...args) : share(...args);
}

const [command, first, second, third] = process.argv.slice(2);
if (command === 'convert') console.log(rate(first, second) * Number(third));
else if (command === 'total') console.log([1, 2].map((amount) => amount * rate(first, second)));
else if (command === 'split') share(Number(first), second, Number(third));
else settle(Number(third) + 2, Number(first), second, Number(third));
