import { hash } from 'node:crypto';
import fc from 'fast-check';
import type { RawPayload } from '../../../core/event/raw-payload.js';
import { canonicalBasis } from '../../../core/fingerprint/decide-fingerprint.js';
import { FINGERPRINT_VERSION } from '../../../core/fingerprint/grouping-settings.js';
import { serverPayload } from '../../helpers/payloads.js';
import { computeFingerprint, partOf } from './compute-fingerprint.js';

function fingerprintOf(changes: Partial<RawPayload>): string {
  return computeFingerprint(serverPayload(changes)).value;
}

describe('computeFingerprint', () => {
  it('hashes the canonical text of exactly the used parts', () => {
    const { value, version, basis } = computeFingerprint(serverPayload());
    expect(value).toMatch(/^[0-9a-f]{32}$/);
    expect(version).toBe(FINGERPRINT_VERSION);
    expect(basis.version).toBe(FINGERPRINT_VERSION);
    expect(value).toBe(hash('sha256', canonicalBasis(basis)).slice(0, 32));
    const withoutUnused = { ...basis, parts: basis.parts.filter((part) => part.used) };
    expect(canonicalBasis(JSON.parse(JSON.stringify(withoutUnused)))).toBe(canonicalBasis(basis));
  });

  it('lists every part with a reason, used or not', () => {
    const { basis } = computeFingerprint(serverPayload({ stack: null }));
    expect(basis.parts.map((part) => part.part)).toEqual(['client_fingerprint', 'error_name', 'frames', 'message']);
    for (const part of basis.parts) expect(part.reason).toMatch(/^\S.*\.$/);
  });

  it.each([
    ['stack_and_message', {}],
    ['stack', { message: '' }],
    ['message', { stack: null }],
    ['message', { stack: 'Traceback in a form that nobody knows' }],
    ['client', { extra: { fingerprint: ['mine'] } }],
  ])('names the rule %s', (rule, changes: Partial<RawPayload>) => {
    expect(computeFingerprint(serverPayload(changes)).basis.rule).toBe(rule);
  });

  it('does not depend on environment, time and user', () => {
    const text = fc.string({ maxLength: 20 });
    const anything = fc.record(
      {
        app: text,
        env: text,
        service: text,
        level: fc.option(text),
        release: fc.option(text),
        method: fc.option(text),
        route: text,
        request_id: fc.option(text),
        session_id: fc.option(text),
        user_id: fc.option(text),
        timestamp: fc.option(text),
        status_code: fc.option(fc.integer({ min: 100, max: 599 })),
        tags: fc.dictionary(text, text),
      },
      { requiredKeys: [] },
    );
    fc.assert(
      fc.property(anything, (changes) => {
        expect(fingerprintOf(changes)).toBe(fingerprintOf({}));
      }),
    );
  });

  it('does not depend on ids, times, hosts and sizes in the message, nor on line numbers, hosts and hashes in the stack', () => {
    const word = fc.stringMatching(/^[a-z]{3,8}$/);
    const occurrence = fc.record({
      line: fc.nat({ max: 99_999 }),
      column: fc.nat({ max: 999 }),
      id: fc.uuid(),
      count: fc.nat(),
      host: word.map((name) => `${name}.example.com`),
      address: fc.ipV4(),
      millis: fc.nat({ max: 100_000 }),
      time: fc.date({ min: new Date('2000-01-01'), max: new Date('2040-01-01'), noInvalidDate: true }),
      hash: fc.stringMatching(/^[0-9][0-9a-f]{7}$/),
      version: fc.tuple(fc.nat(99), fc.nat(99), fc.nat(99)).map((numbers) => numbers.join('.')),
      user: word,
    });
    const at = (o: typeof occurrence extends fc.Arbitrary<infer T> ? T : never): Partial<RawPayload> => ({
      message: `order ${o.id} (${o.count} items) of "${o.user}" lost on ${o.host}:8080, ${o.address} after ${o.millis}ms at ${o.time.toISOString()}`,
      stack: `ValidationError: lost\n    at https://${o.host}/static/js/main.${o.hash}.js:${o.line}:${o.column}\n    at Cart.submit (/home/${o.user}/shop/node_modules/.pnpm/cart@${o.version}/node_modules/cart/lib/cart-${o.version}.js?v=${o.hash}:${o.line}:1)\n    at order.place (/home/${o.user}/shop/src/order/place.js:${o.line}:${o.column})`,
    });
    fc.assert(
      fc.property(occurrence, occurrence, (one, other) => {
        expect(fingerprintOf(at(one))).toBe(fingerprintOf(at(other)));
      }),
    );
  });

  it('differs for any two error names', () => {
    const name = fc.stringMatching(/^[A-Za-z][\w.$]{4,300}$/).map((text) => `${text}Error`);
    fc.assert(
      fc.property(name, name, (one, other) => {
        fc.pre(one !== other);
        expect(fingerprintOf({ error_name: one })).not.toBe(fingerprintOf({ error_name: other }));
      }),
    );
    const long = 'x'.repeat(300);
    expect(fingerprintOf({ error_name: `${long}A` })).not.toBe(fingerprintOf({ error_name: `${long}B` }));
  });

  it.each([
    ['another message', { message: 'quantity is missing' }],
    ['another function', { stack: 'E: x\n    at CartService.addLine (/srv/api/src/cart/cart-service.js:118:5)' }],
    ['another file', { stack: 'E: x\n    at CartService.setLine (/srv/api/src/order/cart-service.js:118:5)' }],
    ['no stack', { stack: null }],
    ['another status in the message', { message: 'failed with status 503' }],
  ])('differs for %s', (_, changes: Partial<RawPayload>) => {
    expect(fingerprintOf(changes)).not.toBe(fingerprintOf({}));
  });

  const general = [
    'Error',
    'Exception',
    'java.lang.Throwable',
    'exceptions.Exception',
    '\\Error',
    'Log',
    'Unknown',
    '',
  ];
  const browsers = ['<unknown>', '[object Object]', 'Object', 'Event', 'UnhandledRejection', 'PromiseRejectionEvent'];
  const minified = ['minified:kP', 'minified:a1b', 'minified:d1<void>', '_$0', 't', 'Qe', 'e2', 'a.b.c', 'o.aB'];

  it.each([...general, ...browsers, ...minified])('uses the message for the generic or minified name %j', (name) => {
    const found = computeFingerprint(serverPayload({ error_name: name }));
    expect(partOf(found, 'error_name')).toMatchObject({ used: false });
    expect(partOf(found, 'message')).toMatchObject({ used: true });
    expect(found.title).toBe('quantity <n> of <n> exceeds the limit');
  });

  it.each(['StockError', 'Eof', 'ns.E4xx', 'minified', 'com.acme.Gone'])('uses the name %j', (name) => {
    expect(partOf(computeFingerprint(serverPayload({ error_name: name })), 'error_name')).toMatchObject({
      used: true,
      value: name,
    });
  });

  it('titles an issue with name and message in one line', () => {
    expect(computeFingerprint(serverPayload({ message: 'first 1\nsecond 2' })).title).toBe(
      'ValidationError: first <n>',
    );
    expect(computeFingerprint(serverPayload({ message: '', stack: null })).title).toBe('ValidationError');
    expect(computeFingerprint(serverPayload({ message: '' })).title).toBe(
      'ValidationError in CartService.setLine (cart/cart-service.js)',
    );
    expect(computeFingerprint(serverPayload({ error_name: '', message: ' \n ', stack: null })).title).toBe(
      'Unnamed failure',
    );
  });

  it('cuts a title at 256 UTF-16 units and never through a pair of surrogates', () => {
    for (const pad of ['', 'x']) {
      const { title } = computeFingerprint(serverPayload({ message: pad + '😀'.repeat(300) }));
      expect(title.length).toBeLessThanOrEqual(256);
      expect(title).toBe(Buffer.from(title).toString());
      expect(title.endsWith('…')).toBe(true);
    }
  });

  it('counts two lines of a message', () => {
    expect(fingerprintOf({ message: 'one\ntwo\nthree' })).toBe(fingerprintOf({ message: 'one\n\n  two \nother' }));
    expect(fingerprintOf({ message: 'one\ntwo' })).not.toBe(fingerprintOf({ message: 'one\nother' }));
  });

  it.each(['message_template', 'message.template'])('uses the template of the client in extra["%s"]', (key) => {
    const of = (message: string) =>
      computeFingerprint(serverPayload({ stack: null, message, extra: { [key]: 'user {name} left' } }));
    expect(of('user anna left').value).toBe(of('user bo left').value);
    expect(partOf(of('user anna left'), 'message')).toMatchObject({
      used: true,
      value: 'user {name} left',
      reason: expect.stringMatching(/^The sender gave the message template\./),
    });
  });
});
