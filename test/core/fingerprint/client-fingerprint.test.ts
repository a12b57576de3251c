import type { JsonValue } from '../../../core/event/json.js';
import type { Fingerprint } from '../../../core/fingerprint/fingerprint.js';
import { serverPayload } from '../../helpers/payloads.js';
import { computeFingerprint } from './compute-fingerprint.js';
import { sentExtra } from './sent-frames/sent-stack.js';

function withClient(fingerprint: JsonValue, message = 'first'): Fingerprint {
  return computeFingerprint(serverPayload({ message, extra: { fingerprint } }));
}

describe('a fingerprint that the client sent', () => {
  it('is used alone', () => {
    const one = withClient(['checkout', 'card'], 'first');
    expect(one.value).toBe(withClient(['checkout', 'card'], 'other').value);
    expect(one.value).not.toBe(withClient(['checkout', 'cash'], 'first').value);
    expect(one.basis.parts.filter((part) => part.used).map((part) => part.part)).toEqual(['client_fingerprint']);
  });

  it.each(['{{ default }}', '{{default}}', '{{  default }}'])('adds to the built-in parts with %j', (token) => {
    const one = withClient([token, 'tenant-7'], 'first');
    expect(one.value).toBe(withClient(['{{ default }}', 'tenant-7'], 'first').value);
    expect(one.value).not.toBe(withClient([token, 'tenant-7'], 'other').value);
    expect(one.value).not.toBe(withClient([token, 'tenant-8'], 'first').value);
  });

  it('changes nothing if it is the built-in grouping alone', () => {
    expect(withClient(['{{ default }}']).value).toBe(computeFingerprint(serverPayload({ message: 'first' })).value);
  });

  it.each<[string, JsonValue, string]>([
    ['a string', 'mine', 'is not a list.'],
    ['an object', { 0: 'mine' }, 'is not a list.'],
    ['an empty list', [], 'is empty.'],
    [
      'blank',
      [' ', null],
      'has no entry that can be used. Entry 1 is left out: it is blank. Entry 2 is left out: it is null.',
    ],
    [
      'the built-in grouping',
      ['{{default}}', ' '],
      'asks for the built-in grouping alone. Entry 2 is left out: it is blank.',
    ],
  ])('is not used if it is %s, and the basis has that', (_, value, reason) => {
    const result = withClient(value);
    expect(result.value).toBe(computeFingerprint(serverPayload({ message: 'first' })).value);
    expect(result.basis.parts[0]).toMatchObject({
      part: 'client_fingerprint',
      used: false,
      reason: `extra.fingerprint ${reason}`,
    });
  });

  it.each<[string, JsonValue, string[], string]>([
    ['null', ['api', null, 'cart'], ['api', 'cart'], ' Entry 2 is left out: it is null.'],
    ['a list', [['api'], 'cart'], ['cart'], ' Entry 1 is left out: it is a list.'],
    ['an object', ['cart', {}], ['cart'], ' Entry 2 is left out: it is an object.'],
    ['blank', ['cart', '  ', ''], ['cart'], ' Entry 2 is left out: it is blank. Entry 3 is left out: it is blank.'],
    ['a number', ['cart', 7, 1.5], ['cart', '7', '1.5'], ''],
    ['a boolean', [true, 'cart'], ['true', 'cart'], ''],
    [
      'one too many',
      Array.from({ length: 40 }, () => 'x'),
      Array.from({ length: 32 }, () => 'x'),
      ' Of 40 entries the first 32 count.',
    ],
  ])('loses only an entry that is %s', (_, value, entries, note) => {
    const [part] = withClient(value).basis.parts;
    expect(part).toMatchObject({ used: true, value: entries, reason: `The client grouped this event itself.${note}` });
    expect(withClient(value).value).toBe(withClient(entries).value);
    expect(withClient(value, 'other').value).toBe(withClient(entries).value);
  });

  it('has a long entry shortened, and two of them stay two', () => {
    const of = (end: string) => withClient(['cart', 'x'.repeat(2_000) + end]);
    expect(of('a').basis.parts[0]?.reason).toBe('The client grouped this event itself. Entry 2 is shortened.');
    expect(of('a').value).not.toBe(of('b').value);
    expect(JSON.stringify(of('a').basis).length).toBeLessThan(3_000);
  });

  it.each([
    ['{{ error.type }}', 'TypeError'],
    ['{{type}}', 'TypeError'],
    ['{{ error.value }}', 'no price of order <n>'],
    ['{{ value }}', 'no price of order <n>'],
    ['{{ message }}', 'no price of order <n>'],
    ['{{ transaction }}', '/orders/:id'],
    ['{{ function }}', 'Cart.total'],
    ['{{ stack.function }}', 'Cart.total'],
    ['{{ stack.abs_path }}', '/srv/shop/cart.js'],
    ['{{ level }}', 'error'],
    ['{{ logger }}', 'shop.cart'],
    ['{{ tags.region }}', 'eu'],
    ['in {{ tags.region }} of {{ type }}', 'in eu of TypeError'],
    ['{{ unheard.of }}', '{{ unheard.of }}'],
    ['{{ type', '{{ type'],
    ['{ type }', '{ type }'],
  ])('may have the variable %s, which is %s', (entry, expected) => {
    const { basis } = computeFingerprint(
      serverPayload({
        error_name: 'TypeError',
        message: 'no price of order 7',
        route: '/orders/:id',
        tags: { region: 'eu', logger: 'shop.cart' },
        stack: 'TypeError: x\n    at Cart.total (/srv/shop/cart.js:3:1)',
        extra: { fingerprint: ['cart', entry] },
      }),
    );
    expect(basis.parts[0]).toMatchObject({ used: true, value: ['cart', expected] });
  });

  it('has the module of a frame, and the transaction that is no route', () => {
    const frames = [{ module: 'com.shop.Cart', function: 'total', filename: 'Cart.java', in_app: true }];
    const fingerprint = ['{{ module }}', '{{ stack.module }}', '{{ package }}', '{{ transaction }}'];
    const extra = sentExtra('java', frames, { transaction: 'CartJob', fingerprint });
    const { basis } = computeFingerprint(serverPayload({ route: '', extra }));
    expect(basis.parts[0]?.value).toEqual(['com.shop.Cart', 'com.shop.Cart', 'com.shop.Cart', 'CartJob']);
  });

  it('is not used if its variables have no values', () => {
    const of = (errorName: string) =>
      computeFingerprint(
        serverPayload({
          error_name: errorName,
          route: '',
          extra: { fingerprint: ['{{ transaction }}', '{{ tags.x }}'] },
        }),
      );
    expect(of('AError').value).not.toBe(of('BError').value);
    expect(of('AError').basis.parts[0]).toMatchObject({
      used: false,
      reason: 'The variables of the client have no values.',
    });
  });

  it('is not read from a prototype', () => {
    const extra = JSON.parse('{"__proto__":{"fingerprint":["mine"],"message_template":"x"}}');
    expect(computeFingerprint(serverPayload({ extra })).value).toBe(computeFingerprint(serverPayload()).value);
    const inherited = Object.create({ fingerprint: ['mine'] });
    expect(computeFingerprint(serverPayload({ extra: inherited })).value).toBe(
      computeFingerprint(serverPayload()).value,
    );
  });
});
