// Bills customers; the gateway's errors become causes.
// case total currency: bill 17 EURO 3 | bill 981 Usd 4 | batch 5 yen 5 | batch 44 XXX 1
// case total negative: bill 17 EUR -5 | bill 90 USD -1 | batch 8123 USD -75 | batch 3 EUR -120
// case charge declined: collect 8812 card 4000 | collect 1 card 9125 | dunning 77 card 5000 | dunning 90 card 6100
// case charge gateway: collect 8 test 12 | collect 41 test 99 | dunning 113 test 7 | dunning 9 test 25

class BillingError extends Error {
  constructor(invoice, message, options) {
    super(`invoice ${invoice}: ${message}`, options);
    this.name = 'BillingError';
  }
}

function total(invoice, currency, value) {
  if (!['EUR', 'USD', 'CHF'].includes(currency)) throw new BillingError(invoice, `unknown currency ${currency}`);
  if (value < 0) throw new BillingError(invoice, `negative total of ${value} ${currency}`);
  return `${value} ${currency}`;
}

async function send(account, value) {
  await new Promise((resolve) => setTimeout(resolve, 1));
  if (account === 'test') throw new Error(`connect ECONNREFUSED 10.0.0.${value}:443`);
  return value < 1000;
}

async function charge(invoice, account, value) {
  const accepted = await send(account, value).catch((cause) => {
    throw new BillingError(invoice, 'the gateway failed', { cause });
  });
  if (!accepted) throw new BillingError(invoice, `the card was declined for ${value}`);
}

async function dunning(invoice, account, value, round) {
  if (round > 0) await dunning(invoice, account, value + 2, round - 1);
  await charge(invoice, account, value);
}

const [command, invoice, second, third] = process.argv.slice(2);
const value = Number(third);
if (command === 'bill') console.log(total(invoice, second, value));
else if (command === 'batch') for (const one of [invoice, invoice + 1]) total(one, second, value);
else if (command === 'collect') await charge(invoice, second, value);
else await dunning(invoice, second, value, Number(invoice) % 4);
