// Sends notifications over several channels at once.
// case render field: mail welcome user=ada | mail reset name=bob | later receipt user=cy | later welcome x=1
// case render template: mail wellcome name=a | mail invoice-de name=b | later ad_7 name=c | later promo.2 name=d
// case deliver limit: send ada 200 | send bob 161 | fan cy 400 | fan eve 999
// case deliver blocked: send spam-7 10 | send spam.example 5 | fan spam1 3 | fan spam-eu 90
import { EventEmitter } from 'node:events';

const FIELDS = new Map([
  ['welcome', 'name'],
  ['reset', 'link'],
  ['receipt', 'total'],
]);

class TemplateError extends TypeError {
  name = 'TemplateError';
}

class DeliveryError extends Error {
  constructor(to, reason) {
    super(`cannot deliver to <${to}>: ${reason}`);
    this.name = 'DeliveryError';
  }
}

function render(template, pair) {
  const field = FIELDS.get(template);
  if (field === undefined) throw new TemplateError(`template ${template} does not exist`);
  if (!pair.startsWith(`${field}=`)) throw new TemplateError(`template ${template} needs the field '${field}'`);
  return pair;
}

async function deliver(to, length) {
  if (to.startsWith('spam')) throw new DeliveryError(to, 'the address is blocked');
  if (length > 160) throw new DeliveryError(to, `${length} characters are too long`);
}

const fan = (names, length) => Promise.any(names.map((name) => deliver(name, length)));

const queue = new EventEmitter();
queue.on('mail', (template, pair) => render(template, pair));

const [command, first, second] = process.argv.slice(2);
if (command === 'mail') render(first, second);
else if (command === 'later') queue.emit('mail', first, second);
else if (command === 'send') await deliver(first, Number(second));
else
  await fan([first], Number(second)).catch((error) => {
    throw error.errors[0];
  });
