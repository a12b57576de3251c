import { hash } from 'node:crypto';
import fc from 'fast-check';
import type { RawPayload } from '../../../core/event/raw-payload.js';
import { canonicalBasis } from '../../../core/fingerprint/decide-fingerprint.js';
import { createCachedGrouper, createGrouper } from '../../../core/fingerprint/grouper.js';
import {
  DEFAULT_GROUPING,
  FINGERPRINT_VERSION,
  type GroupingRule,
  type GroupingSettings,
  groupingKey,
} from '../../../core/fingerprint/grouping-settings.js';
import { serverPayload } from '../../helpers/payloads.js';
import { computeFingerprint } from './compute-fingerprint.js';

const withRules = (...rules: GroupingRule[]): GroupingSettings => ({ ...DEFAULT_GROUPING, rules });

describe('a grouper', () => {
  it('hashes its version, so that values of two versions always differ', () => {
    const { basis, value, version } = createGrouper(DEFAULT_GROUPING).fingerprint(serverPayload());
    const hashOf = (other: number) => hash('sha256', canonicalBasis({ ...basis, version: other })).slice(0, 32);
    expect([version, basis.version, hashOf(version)]).toEqual([FINGERPRINT_VERSION, FINGERPRINT_VERSION, value]);
    expect(hashOf(version + 1)).not.toBe(value);
  });

  it('with default settings equals computeFingerprint', () => {
    expect(createGrouper(DEFAULT_GROUPING).fingerprint(serverPayload())).toEqual(computeFingerprint(serverPayload()));
  });

  it('has a key that names its settings, for any order of their keys', () => {
    const rule = { name: 'a', query: 'level:error', split_by: ['route'] };
    const reversed = { split_by: ['route'], query: 'level:error', name: 'a' };
    const keyOf = (settings: GroupingSettings) => createGrouper(settings).key;
    expect(keyOf(DEFAULT_GROUPING)).toMatch(/^[0-9a-f]{16}$/);
    expect(keyOf(withRules(rule))).toBe(keyOf(withRules(reversed)));
    const keys = [keyOf(DEFAULT_GROUPING), keyOf(withRules(rule)), groupingKey({ ...DEFAULT_GROUPING, version: 1 })];
    expect(new Set(keys).size).toBe(3);
  });

  it.each<[string, unknown, RegExp]>([
    ['an unknown version', { ...DEFAULT_GROUPING, version: 7 }, /unknown version 7/],
    ['an unknown row', { ...DEFAULT_GROUPING, patterns_off: ['nothing'] }, /unknown kind of value "nothing"/],
    ['an unknown row of a rule', withRules({ name: 'r', query: '', patterns_on: ['nothing'] }), /rule "r".*"nothing"/],
    ['a query', withRules({ name: 'r', query: 'level:error nofield:x' }), /rule "r".*column 13/],
    ['an unknown variable', withRules({ name: 'r', query: '', fingerprint: ['{{ nothing }}'] }), /rule "r".*nothing/],
    ['default inside of a part', withRules({ name: 'r', query: '', fingerprint: ['a {{ default }}'] }), /of its own/],
    ['an unknown field', withRules({ name: 'r', query: '', split_by: ['colour'] }), /rule "r".*"colour"/],
    ['a frame without a name', withRules({ name: 'r', query: '', in_app: [{}] }), /rule "r".*in_app/],
    ['no parts', withRules({ name: 'r', query: '', fingerprint: [] }), /rule "r".*1 to 32/],
  ])('names the problem of %s', (_, settings, problem) => {
    for (const create of [createGrouper, createCachedGrouper]) {
      expect(() => create(settings as GroupingSettings)).toThrow(
        expect.objectContaining({ code: 'GROUPING_INVALID', message: expect.stringMatching(problem) }),
      );
    }
  });
});

const RULES: readonly GroupingRule[] = [
  { name: 'own', query: 'tags.region:eu*', fingerprint: ['{{ service }}', 'eu {{ tags.region }}'] },
  { name: 'split', query: 'message:*late*', split_by: ['tags.region', 'route'] },
  { name: 'frames', query: 'error_name:Slow*', ignore_frames: [{ function: 'load' }], in_app: [{ file: '*lib.js' }] },
  { name: 'rows', query: 'level:warning', patterns_off: ['number'] },
  { name: 'all', query: '', not_in_app: [{ function: 'load' }], split_by: ['tags.region'] },
];

const events = fc.record({
  stack: fc.constantFrom(
    null,
    'Slow: a\n    at load (/srv/src/a.js:1:2)\n    at run (/srv/src/b.js:3:4)',
    'Slow: a\n    at load (/srv/src/a.js:7:2)\n    at run (/srv/src/b.js:3:4)',
    'Slow: a\n    at get (/srv/node_modules/lib.js:1:2)\n    at run (/srv/src/b.js:3:4)',
    'Slow: a\n\tat a.B.c(B.java:1)\nCaused by: a.Root: order 9 is late\n\tat a.D.e(D.java:2)\n\t... 1 more',
  ),
  error_name: fc.constantFrom('Error', 'SlowError', 'RangeError', 'TypeError'),
  message: fc.constantFrom('', 'order 17 is late', 'order 18 is late', 'two\nlines', 'maximum call stack'),
  level: fc.constantFrom('error', 'warning', null),
  route: fc.constantFrom('/a', '/b'),
  tags: fc.constantFrom<RawPayload['tags']>({}, { region: 'eu-west' }, { region: 'us' }, { __proto__: 'x' }),
  extra: fc.constantFrom<RawPayload['extra']>(
    null,
    { fingerprint: ['mine'] },
    { message_template: 'order {} is late' },
  ),
});

describe('a cached grouper', () => {
  it('returns the same as an uncached one after any payloads and with any rules', () => {
    const settings = fc.record({
      version: fc.constant(FINGERPRINT_VERSION),
      patterns_off: fc.constantFrom<string[]>([], ['quoted']),
      rules: fc.subarray([...RULES]),
    });
    fc.assert(
      fc.property(settings, fc.array(events, { maxLength: 30 }), (chosen, changes) => {
        const [plain, cached] = [createGrouper(chosen), createCachedGrouper(chosen)];
        expect(cached.key).toBe(plain.key);
        for (const change of [...changes, ...changes]) {
          const one = serverPayload(change);
          expect(cached.fingerprint(one)).toEqual(plain.fingerprint(one));
        }
      }),
    );
  });

  it('caches failures that a rule for every event matches, each value separately', () => {
    const rule = { name: 'all', query: '', in_app: [{ file: '*lib.js' }], split_by: ['tags.region'] };
    const { fingerprint } = createCachedGrouper(withRules(rule));
    const [eu, us] = ['eu', 'us'].map((region) =>
      Array.from({ length: 5 }, () => fingerprint(serverPayload({ tags: { region } }))),
    );
    expect(eu?.[4]).toBe(eu?.[3]);
    expect(us?.[4]).toBe(us?.[3]);
    expect(us?.[4]?.value).not.toBe(eu?.[4]?.value);
  });
});
