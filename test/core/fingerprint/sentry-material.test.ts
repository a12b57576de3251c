import fc from 'fast-check';
import type { JsonObject, JsonValue } from '../../../core/event/json.js';
import type { RawPayload } from '../../../core/event/raw-payload.js';
import type { Fingerprint } from '../../../core/fingerprint/fingerprint.js';
import { serverPayload } from '../../helpers/payloads.js';
import { computeFingerprint, partOf } from './compute-fingerprint.js';

function withSentry(sentry: JsonObject, changes: Partial<RawPayload> = {}): Fingerprint {
  return computeFingerprint(serverPayload({ extra: { sentry }, ...changes }));
}

/** An event of one exception whose frames are in the order of SDKs: the caller first. */
function withFrames(frames: JsonObject[], more: JsonObject = {}, changes?: Partial<RawPayload>): Fingerprint {
  const values = [{ type: 'E', stacktrace: { frames } }];
  return withSentry({ exception: { values }, mapping: { exceptions: [0] }, ...more }, changes);
}

function used(fingerprint: Fingerprint, part: string): JsonValue | undefined {
  const found = partOf(fingerprint, part);
  return found?.used === true ? found.value : undefined;
}

describe('structured frames', () => {
  const caller = { function: 'serve', module: 'shop.web', filename: 'shop/web.py', in_app: true };

  it('have priority over the text of the stack', () => {
    expect(used(withFrames([caller]), 'frames')).toEqual(['serve (web.py)']);
  });

  it.each<[string, JsonObject, JsonValue]>([
    ['a client that calls it its own', { in_app: true }, ['load (lib.py)']],
    ['a client that calls it foreign', { in_app: false }, ['serve (web.py)']],
    ['a client that says nothing, by its path', { abs_path: '/x/site-packages/lib.py' }, ['serve (web.py)']],
    ['a client that marked other frames, without a mark', { abs_path: '/srv/lib.py' }, ['serve (web.py)']],
    ['a client that says nothing, by its namespace', { module: 'java.util.List' }, ['serve (web.py)']],
  ])('are in-app for %s', (_, more, frames) => {
    expect(
      used(withFrames([caller, { function: 'load', module: 'lib', filename: 'lib.py', ...more }]), 'frames'),
    ).toEqual(frames);
  });

  it('of scripts are identified by their file, not by the module derived from it or by a minified name', () => {
    const frame = { function: 'n', module: 'app-5f3a9c21', filename: 'https://h/app-5f3a9c21.js', in_app: true };
    const named = { ...frame, function: 'load' };
    expect(used(withFrames([named, frame], { platform: 'javascript' }), 'frames')).toEqual(['app-<hash>.js']);
    expect(
      used(withFrames([{ ...frame, module: 'lib', platform: 'ruby' }], { platform: 'javascript' }), 'frames'),
    ).toEqual(['n (app-<hash>.js)']);
  });

  it.each([
    ['Task<Order> Shop.Place(Int32 id)', 'Shop.Place'],
    ['void ledger::post(int, char const*)', 'ledger::post'],
    ['(*Service).Reserve', 'Service.Reserve'],
    ['Total.func1', 'Total'],
    ['com.acme.Lambda$$Lambda$17', 'com.acme.Lambda$$Lambda'],
  ])('of the function %s are identified as %s', (name, key) => {
    expect(used(withFrames([{ function: name, in_app: true }]), 'frames')).toEqual([key]);
  });

  it('of the root cause are first, and its type is used', () => {
    const frames = (name: string) => ({ frames: [{ function: name, module: 'shop', in_app: true }] });
    const values = [
      { type: 'Unrelated', stacktrace: frames('other') },
      { type: 'Root', stacktrace: frames('save') },
      { type: 'Outer', stacktrace: frames('place') },
    ];
    const one = withSentry({ exception: { values }, mapping: { exceptions: [2, 1] } });
    expect([used(one, 'error_name'), used(one, 'frames')]).toEqual(['Root', ['shop.save']]);
  });

  it('of a thread replace those of an exception without frames', () => {
    const thread = { stacktrace: { frames: [{ function: 'run', module: 'shop', in_app: true }] } };
    for (const threads of [[{}, thread], { values: [{}, thread] }]) {
      const sentry = { exception: { values: [{ type: 'E' }] }, threads, mapping: { exceptions: [0], thread: 1 } };
      expect(used(withSentry(sentry), 'frames')).toEqual(['shop.run']);
      expect(used(withSentry({ threads, mapping: { thread: 1 } }), 'frames')).toEqual(['shop.run']);
    }
  });

  it('are replaced by the text if none of them has a name or a file', () => {
    const text = used(computeFingerprint(serverPayload()), 'frames');
    expect(used(withFrames([{ lineno: 7 }, { function: '?' }]), 'frames')).toEqual(text);
    expect(used(withFrames([], {}, { stack: null }), 'frames')).toBeUndefined();
  });

  it('belong to the cause of a chain that has no frames elsewhere', () => {
    const sentry = { exception: { values: [{ type: 'Root' }, { type: 'E' }] }, mapping: { exceptions: [1, 0] } };
    expect(used(withSentry(sentry, { stack: null }), 'error_name')).toBe('Root');
  });

  it('that repeat in an overflowed stack are used in alphabetical order', () => {
    const cycle = ['even', 'odd'].map((name) => ({ function: name, module: 'shop', in_app: true }));
    const deep = Array.from({ length: 300 }, () => cycle).flat();
    const overflow = { error_name: 'RecursionError', message: 'maximum recursion depth exceeded' };
    expect(withFrames(deep, {}, overflow).value).toBe(withFrames(deep.slice(1), {}, overflow).value);
  });

  it('are read up to the 512th', () => {
    const foreign = Array.from({ length: 511 }, () => ({ function: 'pass', module: 'lib', in_app: false }));
    expect(used(withFrames([caller, ...foreign]), 'frames')).toEqual(['serve (web.py)']);
    expect(used(withFrames([caller, ...foreign, ...foreign]), 'frames')).toEqual(['lib.pass']);
  });
});

describe('the meta information of a mechanism', () => {
  const of = (meta: JsonValue, type = 'CartError') =>
    withSentry({
      exception: {
        values: [
          { type, mechanism: { type: 'x', meta }, stacktrace: { frames: [{ function: 'load', in_app: true }] } },
        ],
      },
      mapping: { exceptions: [0] },
    });

  it.each<[string, JsonValue, JsonValue, string]>([
    [
      'ns_error',
      { ns_error: { domain: 'NSURLErrorDomain', code: -1009 } },
      { ns_error: { domain: 'NSURLErrorDomain', code: -1001 } },
      'NSURLErrorDomain -1009',
    ],
    [
      'the domain of ns_error',
      { ns_error: { domain: 'ADomain', code: 1 } },
      { ns_error: { domain: 'BDomain', code: 1 } },
      'ADomain 1',
    ],
    [
      'the name of errno',
      { errno: { number: 2, name: 'ENOENT' } },
      { errno: { number: 13, name: 'EACCES' } },
      'ENOENT',
    ],
    ['the number of errno', { errno: { number: 2 } }, { errno: { number: 13 } }, '2'],
    ['signal', { signal: { number: 6, name: 'SIGABRT' } }, { signal: { number: 9, name: 'SIGKILL' } }, 'SIGABRT'],
  ])('tells failures of one place apart by %s', (_, one, other, code) => {
    expect(used(of(one), 'code')).toBe(code);
    expect(of(one).value).not.toBe(of(other).value);
  });

  it('does not split a crash by addresses, nor by the signal that the type names', () => {
    const crash = (name: string, codeName: string, subcode: number) =>
      of(
        { signal: { number: 11, name, code_name: codeName }, mach_exception: { exception: 1, code: 1, subcode } },
        'EXC_BAD_ACCESS',
      );
    expect(crash('SIGSEGV', 'SEGV_MAPERR', 16).value).toBe(crash('SIGBUS', 'BUS_NOOP', 4096).value);
    expect(crash('SIGSEGV', 'SEGV_MAPERR', 16).value).toBe(of({}, 'EXC_BAD_ACCESS').value);
  });
});

describe('the template of a message', () => {
  it('is the message, whatever values were inserted', () => {
    const of = (message: string) =>
      withSentry({ mapping: { message_template: 'job %s failed' } }, { message, stack: null });
    expect(of('job a failed').value).toBe(of('job b failed').value);
    expect(used(of('job a failed'), 'message')).toBe('job %s failed');
  });

  it('is ignored if it is not a string', () => {
    expect(withSentry({ mapping: { message_template: 7 } }).value).toBe(computeFingerprint(serverPayload()).value);
  });
});

describe("the client's fingerprint", () => {
  it('is used from extra.sentry and from extra', () => {
    const own = computeFingerprint(serverPayload({ extra: { fingerprint: ['mine'] } }));
    expect(withSentry({ fingerprint: ['mine'] }).value).toBe(own.value);
    expect(used(withSentry({ fingerprint: ['{{default}}', 'mine'] }), 'client_fingerprint')).toEqual([
      '{{ default }}',
      'mine',
    ]);
    expect(withSentry({ fingerprint: ['{{ default }}'] }).value).toBe(computeFingerprint(serverPayload()).value);
  });

  it('has lower priority than extra.fingerprint', () => {
    const extra = { fingerprint: ['mine'], sentry: { fingerprint: ['other'] } };
    expect(used(computeFingerprint(serverPayload({ extra })), 'client_fingerprint')).toEqual(['mine']);
    expect(
      used(computeFingerprint(serverPayload({ extra: { ...extra, fingerprint: 7 } })), 'client_fingerprint'),
    ).toEqual(['other']);
  });

  it('is named by its path if it is not used', () => {
    const [part] = withSentry({ fingerprint: [{}] }).basis.parts;
    expect(part?.reason).toBe(
      'extra.sentry.fingerprint has no entry that can be used. Entry 1 is left out: it is an object.',
    );
  });
});

it('groups any value under extra.sentry, and ignores values without a meaning', () => {
  const keys = fc.constantFrom(
    'exception',
    'values',
    'mapping',
    'exceptions',
    'thread',
    'threads',
    'stacktrace',
    'frames',
    'function',
    'module',
    'type',
    'fingerprint',
    '__proto__',
  );
  const { node } = fc.letrec<{ node: JsonValue }>((tie) => ({
    node: fc.oneof(
      { depthSize: 'large' },
      fc.constantFrom<JsonValue>(null, 0, 1, -1, 1.5, 'text', true),
      fc.array(tie('node'), { maxLength: 3 }),
      fc.dictionary(keys, tie('node'), { maxKeys: 6 }),
    ),
  }));
  fc.assert(
    fc.property(node, (sentry) => {
      expect(computeFingerprint(serverPayload({ extra: { sentry } })).value).toHaveLength(32);
    }),
  );
  expect(withSentry({ release: 'x' })).toEqual(computeFingerprint(serverPayload()));
});
