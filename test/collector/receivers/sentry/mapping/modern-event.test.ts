import fc from 'fast-check';
import { modernEvent } from '../../../../../collector/receivers/sentry/mapping/modern-event.js';
import type { JsonObject, JsonValue } from '../../../../../core/event/json.js';
import { computeFingerprint } from '../../../../core/fingerprint/compute-fingerprint.js';
import { mapped, sentryPart } from './mapped.js';

const FRAMES = [
  { function: 'main', filename: 'manage.py', lineno: 3, in_app: true },
  { function: 'charge', filename: 'shop/billing.py', lineno: 12, in_app: true },
];
const EXCEPTION = { type: 'CardDeclined', value: 'card was declined', stacktrace: { frames: FRAMES } };
const MODERN = {
  logentry: { message: 'order %s failed', params: [7] },
  exception: { values: [EXCEPTION] },
  request: { url: 'http://shop.example/orders/7', method: 'post', headers: { 'X-Request-Id': 'r-1' } },
  user: { id: 'u-7' },
  breadcrumbs: { values: [{ message: 'cart opened' }] },
  contexts: { response: { status_code: 502 } },
  query: { query: 'SELECT 1' },
};
const CLASSES = {
  logentry: 'Message',
  exception: 'Exception',
  request: 'Http',
  user: 'User',
  breadcrumbs: 'Breadcrumbs',
  contexts: 'Contexts',
  query: 'Query',
};

/** The event of the first clients: a bare exception with its stack beside it. */
function firstProtocol(stacktrace: JsonValue, more: JsonObject = {}): JsonObject {
  const { stacktrace: _, ...exception } = EXCEPTION;
  return {
    platform: 'python',
    'sentry.interfaces.Exception': exception,
    'sentry.interfaces.Stacktrace': stacktrace,
    ...more,
  };
}

function renamed(nameOf: (className: string) => string): JsonObject {
  const classes: Readonly<Record<string, string>> = CLASSES;
  return Object.fromEntries(Object.entries(MODERN).map(([name, value]) => [nameOf(classes[name] ?? ''), value]));
}

describe('an event of an old client', () => {
  it.each<[string, JsonObject]>([
    ['the names of protocol 2', renamed((name) => `sentry.interfaces.${name}`)],
    ['the paths of classes', renamed((name) => `sentry.interfaces.${name.toLowerCase()}.${name}`)],
    ['the paths of their files', renamed((name) => `sentry.interfaces.${name.toLowerCase()}`)],
    ['a member for all interfaces', { interfaces: renamed((name) => `sentry.interfaces.${name}`) }],
  ])('means the same under %s', (_, sent) => {
    expect(mapped(sent)).toEqual(mapped(MODERN));
  });

  it.each<[string, JsonObject]>([
    ['beside the exception', firstProtocol({ frames: FRAMES })],
    [
      'beside it under the new name',
      { platform: 'python', exception: { type: 'CardDeclined', value: 'card was declined' }, stacktrace: FRAMES },
    ],
    [
      'in the exception under the old name',
      {
        platform: 'python',
        exception: {
          type: 'CardDeclined',
          value: 'card was declined',
          'sentry.interfaces.Stacktrace': { frames: FRAMES },
        },
      },
    ],
  ])('has the stack of its exception %s', (_, sent) => {
    const expected = mapped({ platform: 'python', exception: { values: [EXCEPTION] } });
    expect(mapped(sent)).toEqual(expected);
  });

  it('keeps a stack beside exceptions that have theirs, or of which several have none', () => {
    const stacktrace = { frames: [{ function: 'elsewhere' }] };
    const bare = { type: 'E', value: 'x' };
    for (const values of [[EXCEPTION], [bare, EXCEPTION, bare]]) {
      const payload = mapped({ platform: 'python', exception: { values }, stacktrace });
      expect(sentryPart(payload, 'stacktrace')).toEqual(stacktrace);
    }
    const owner = mapped({ platform: 'python', exception: { values: [bare, EXCEPTION] }, stacktrace });
    expect(owner.stack).toContain('\nCaused by: E: x\n at elsewhere');
  });

  it('leaves an interface under its old name if the new one is there too, and fills up an object', () => {
    const payload = mapped({
      exception: [EXCEPTION],
      'sentry.interfaces.Exception': ['odd'],
      request: { method: 'PUT' },
      'sentry.interfaces.Http': { method: 'GET', url: '/orders/7' },
    });
    expect(payload).toMatchObject({ error_name: 'CardDeclined', method: 'PUT', route: '/orders/:id' });
    expect(sentryPart(payload, 'sentry.interfaces.Exception')).toEqual(['odd']);
  });

  it('parses parts that are encoded twice up to a bound of all of them', () => {
    const encoded = (name: string) => JSON.stringify([{ function: name, vars: 'x'.repeat(60_000) }]);
    const values = ['a', 'b', 'c'].map((name) => ({ type: name, value: 'x', stacktrace: encoded(name) }));
    const { stack } = mapped({ exception: { values } });
    expect(stack).toMatch(/^ at c\nCaused by: b: x\n at b\nCaused by: a: x\n\[\{"function":"a"/);
  });

  it('renames one interface of each class, so that thousands take no longer than other members', () => {
    const others = Object.fromEntries(
      Array.from({ length: 20_000 }, (_, index) => [`sentry.interfaces.${index}.Http`, { [`a${index}`]: 1 }]),
    );
    const payload = mapped({ 'sentry.interfaces.Http': { url: '/orders/7' }, ...others });
    expect(payload.route).toBe('/orders/:id');
    expect(sentryPart(payload, 'request')).toEqual({ url: '/orders/7' });
    expect(sentryPart(payload, 'sentry.interfaces.19999.Http')).toEqual({ a19999: 1 });
  });

  it('of Java has its chain from frames that name exceptions, the innermost frame first', () => {
    const header = (filename: string) => ({ filename, lineno: -1 });
    const frame = (filename: string, name: string, lineno: number) => ({ filename, function: name, lineno });
    const payload = mapped(
      firstProtocol(
        {
          frames: [
            header('Caused by: com.shop.OrderFailed ("order 7")'),
            frame('com.shop.Web', 'handle', 3),
            header('Caused by: java.lang.IllegalStateException'),
            { ...frame('Ledger.java', 'book', 9), module: 'com.shop.Ledger' },
          ],
        },
        { platform: 'java' },
      ),
    );
    expect(payload.stack?.split('\n')).toEqual([
      'com.shop.OrderFailed: order 7',
      '\tat com.shop.Web.handle(com.shop.Web:3)',
      'Caused by: java.lang.IllegalStateException',
      '\tat com.shop.Ledger.book(Ledger.java:9)',
    ]);
  });

  it('of Objective-C has its stack in extra', () => {
    const CallStack = ['0   Shop  0x0000000101a1d6b0 -[Cart charge] + 64', '1   Shop  0x0000000101a1d700 main + 64'];
    expect(mapped({ platform: 'objc', exception: [{ type: 'E' }], extra: { CallStack } }).stack).toBe(
      CallStack.join('\n'),
    );
  });

  it('is grouped by its checksum unless it has a fingerprint', () => {
    expect(sentryPart(mapped({ message: 'a', checksum: 'c1' }), 'fingerprint')).toEqual(['c1']);
    expect(sentryPart(mapped({ message: 'a', checksum: 'c1', fingerprint: ['f'] }), 'fingerprint')).toEqual(['f']);
    expect(mapped({ message: 'a', site: 'shop.example' }).tags).toEqual({ site: 'shop.example' });
  });
});

describe('a value of another shape', () => {
  const stackOf = (stacktrace: JsonValue) => mapped({ platform: 'python', exception: [{ type: 'E', stacktrace }] });

  it.each<[string, JsonObject, JsonObject]>([
    [
      'an object as value',
      { exception: [{ type: 'E', value: { code: 7 } }] },
      { error_name: 'E', message: '{"code":7}' },
    ],
    ['a list as value', { exception: [{ type: 'E', value: ['a', 1] }] }, { message: '["a",1]' }],
    ['false as value', { exception: [{ type: 'E', value: false }] }, { message: 'false' }],
    ['an object as type', { exception: [{ type: { name: 'E' }, value: 'x' }] }, { error_name: '{"name":"E"}' }],
    ['a text as exception', { exception: 'boom' }, { message: 'boom' }],
    ['a number as exception', { exception: 13 }, { message: '13' }],
    ['texts as exceptions', { exception: ['boom'] }, { message: 'boom' }],
    ['exceptions as JSON in a text', { exception: { values: '[{"type":"E","value":"x"}]' } }, { error_name: 'E' }],
    [
      'an exception as JSON in a text that is documented',
      { exception: '{"values":[{"type":"E","value":"x"}]}' },
      { error_name: 'E', message: 'x' },
    ],
    ['a list of one list', { exception: { values: [[{ type: 'E', value: 'x' }]] } }, { error_name: 'E', message: 'x' }],
    [
      'lists of one value each',
      {
        level: ['warning'],
        environment: ['lab'],
        release: [2],
        tags: { region: ['eu'] },
        user: { id: ['u-7'] },
        request: { url: ['https://shop.example/cart'], method: ['get'] },
        exception: [{ type: ['E'], value: ['no price'] }],
      },
      {
        level: 'warning',
        env: 'lab',
        release: '2',
        tags: { region: 'eu' },
        user_id: 'u-7',
        route: '/cart',
        method: 'GET',
        error_name: 'E',
        message: 'no price',
      },
    ],
    ['an object as message', { message: { why: 'disk' } }, { message: '{"why":"disk"}' }],
    ['a list as log entry', { logentry: ['a', 'b'] }, { message: '["a","b"]' }],
    ['an object in a log entry', { logentry: { message: { a: 1 }, params: [] } }, { message: '{"a":1}' }],
    [
      'an empty object in a log entry',
      { logentry: { message: {}, formatted: {} }, message: 'real' },
      { message: 'real' },
    ],
    ['numbered parameters', { logentry: { message: '%s of %s', params: { 0: 'a', 1: 'b' } } }, { message: 'a of b' }],
    ['a text as user', { user: 'anna' }, { user_id: 'anna' }],
    ['a number as user', { user: 7 }, { user_id: '7' }],
    ['a text as request', { request: 'https://shop.example/cart' }, { route: '/cart' }],
  ])('is what it says: %s', (_, sent, expected) => {
    expect(mapped(sent)).toMatchObject(expected);
  });

  it.each<[string, JsonValue]>([
    ['a list', FRAMES],
    ['an object with numbered keys', { frames: { 3: FRAMES[0] ?? null, 11: FRAMES[1] ?? null } }],
    ['an object with keys that are not in order', { frames: { '01': FRAMES[1] ?? null, '00': FRAMES[0] ?? null } }],
    ['a stack with numbered keys', { 0: FRAMES[0] ?? null, 1: FRAMES[1] ?? null }],
    ['JSON in a text', { frames: JSON.stringify(FRAMES) }],
    ['a list of one list', { frames: [FRAMES] }],
    [
      'frames of lists of one value each',
      {
        frames: FRAMES.map((frame) =>
          Object.fromEntries(Object.entries(frame).map(([name, value]) => [name, [value]])),
        ),
      },
    ],
    [
      'a list with null, a number and a mark of its encoder',
      { frames: [null, FRAMES[0] ?? null, 7, '[TRUNCATED]', FRAMES[1] ?? null] },
    ],
    [
      'frames with texts for numbers and flags',
      { frames: FRAMES.map((frame) => ({ ...frame, lineno: `${frame.lineno}`, in_app: 'True' })) },
    ],
  ])('is the same stack: %s', (_, sent) => {
    const [payload, expected] = [stackOf(sent), stackOf({ frames: FRAMES })];
    expect(payload.stack).toBe(expected.stack);
    expect(computeFingerprint(payload).value).toBe(computeFingerprint(expected).value);
  });

  it.each<[string, string, string, readonly string[]]>([
    ['node', 'main (main.ts)', 'main', ['Error: no price', '    at main (/app/src/main.ts:9:1)']],
    ['python', 'main (a.py)', 'main', ['  File "/srv/shop/a.py", line 3, in main\n    charge()\n']],
    ['java', 'Main.main (Main.java)', 'main', ['\tat com.shop.Main.main(Main.java:9)']],
    ['ruby', 'charge (order.rb)', 'charge', ["/app/models/order.rb:3:in `charge'"]],
  ])('is read as text if its frames are lines: %s', (platform, culprit, name, frames) => {
    for (const stacktrace of [{ frames: [...frames] }, [...frames], frames.join('\n'), { frames: [null, ...frames] }]) {
      const payload = mapped({ platform, exception: [{ type: 'Error', value: 'no price', stacktrace }] });
      expect(payload.stack).toContain(name);
      expect(computeFingerprint(payload).culprit).toContain(culprit.split(' ')[0]);
    }
  });

  it('is a part of its chain if its frames are lines', () => {
    const cause = { type: 'RangeError', value: 'x', stacktrace: 'RangeError: x\n    at charge (/app/cart.js:3:2)' };
    const values = [cause, { type: 'Error', value: 'y', stacktrace: ['    at main (/app/main.js:9:1)'] }];
    expect(mapped({ platform: 'node', exception: { values } }).stack?.split('\n')).toEqual([
      '    at main (/app/main.js:9:1)',
      'Caused by: RangeError: x',
      '    at charge (/app/cart.js:3:2)',
    ]);
  });

  it('is the thread that the exception names, by number or text, before the crashed one', () => {
    const threads = {
      values: {
        0: { id: 1, crashed: true, stacktrace: { frames: [{ function: 'idle' }] } },
        1: { id: 259, stacktrace: { frames: [{ function: 'work' }] } },
      },
    };
    const stack = (thread_id: JsonValue) => mapped({ exception: [{ type: 'Hang', thread_id }], threads }).stack;
    expect([stack(259), stack('259'), stack(7)]).toEqual([' at work', ' at work', ' at idle']);
  });

  it('groups as the list of texts that it stands for', () => {
    for (const fingerprint of ['7', 7, ['7'], { 0: 7 }]) {
      expect(sentryPart(mapped({ fingerprint }), 'fingerprint')).toEqual(['7']);
    }
  });

  it('that becomes a text has no credentials of a request', () => {
    const headers = { Authorization: 'Bearer abc', 'set-cookie': ['sid=abc'], Accept: 'text/plain' };
    const payload = mapped({ exception: [{ type: 'E', value: { config: { headers } } }], message: { headers } });
    expect(JSON.stringify(payload)).not.toContain('abc');
    expect(payload.message).toContain('"Accept":"text/plain"');
  });

  it('stays readable where it fits no field', () => {
    const sent = {
      release: { version: '1.2' },
      environment: ['eu', 'us'],
      breadcrumbs: { 0: { message: 'a' } },
      exception: false,
    };
    const payload = mapped(sent);
    for (const [member, value] of Object.entries({
      ...sent,
      breadcrumbs: [{ message: 'a' }],
      exception: { values: [false] },
    })) {
      expect(sentryPart(payload, member)).toEqual(value);
    }
  });
});

describe('any event', () => {
  const member = fc.constantFrom(
    'exception',
    'sentry.interfaces.Exception',
    'interfaces',
    'stacktrace',
    'threads',
    'message',
    'logentry',
    'fingerprint',
    'checksum',
    'user',
    'values',
    'frames',
    'function',
    'type',
    'value',
    '0',
    '1',
    '__proto__',
  );
  const { value } = fc.letrec<{ value: JsonValue }>((tie) => ({
    value: fc.oneof(
      { depthSize: 'medium', withCrossShrink: true },
      fc.oneof(fc.string(), fc.integer(), fc.boolean(), fc.constant(null)),
      fc.array(tie('value'), { maxLength: 3 }),
      fc.dictionary(member, tie('value'), { maxKeys: 4, noNullPrototype: true }),
    ),
  }));

  it('stays as it was sent', () => {
    fc.assert(
      fc.property(fc.dictionary(member, value, { maxKeys: 5, noNullPrototype: true }), (sent) => {
        const before = structuredClone(sent);
        modernEvent(sent);
        expect(sent).toEqual(before);
      }),
    );
  });
});
