import type { RawPayload } from '../../../../core/event/raw-payload.js';
import type { BasisPart, Fingerprint } from '../../../../core/fingerprint/fingerprint.js';
import { createGrouper } from '../../../../core/fingerprint/grouper.js';
import { DEFAULT_GROUPING, type GroupingRule } from '../../../../core/fingerprint/grouping-settings.js';
import { serverPayload } from '../../../helpers/payloads.js';

function grouped(rules: readonly GroupingRule[], changes: Partial<RawPayload> = {}): Fingerprint {
  return createGrouper({ ...DEFAULT_GROUPING, rules }).fingerprint(serverPayload(changes));
}

function partsOf({ basis }: Fingerprint, name: string): BasisPart[] {
  return basis.parts.filter(({ part }) => part === name);
}

const STACK = [
  'E: x',
  '    at get (/srv/node_modules/http/get.js:1:1)',
  '    at retry (/srv/src/retry.js:2:1)',
  '    at load (/srv/src/load.js:3:1)',
].join('\n');

describe('a rule that sets the fingerprint', () => {
  it('groups one item and several by the message', () => {
    const rule = { name: 'by message', query: '', fingerprint: ['{{ message }}'] };
    const [one, several] = ['lost 1 tag', 'lost 5 tags'].map((message) => grouped([rule], { message }).value);
    expect(one).toBe(several);
  });

  it('is used alone, with variables replaced, and is named in the basis', () => {
    const rule = {
      name: 'by route',
      query: 'status_code:422',
      fingerprint: [
        '{{ error_name }} on {{ method }} {{route}}',
        '{{ tags.region }}',
        '{{ extra.nothing }}',
        '{{ function }}',
      ],
    };
    const one = grouped([rule]);
    expect(one.basis.rule).toBe('rule');
    expect(partsOf(one, 'rule')).toEqual([
      {
        part: 'rule',
        used: true,
        value: ['ValidationError on PUT /api/v1/cart/lines', 'eu-west', '', 'CartService.setLine'],
        reason: 'Rule "by route" sets the fingerprint.',
      },
    ]);
    expect(one.basis.parts.filter(({ used }) => used)).toHaveLength(1);
    expect(grouped([rule], { message: 'something else' }).value).toBe(one.value);
    expect(grouped([rule], { status_code: 500 }).value).toBe(grouped([]).value);
  });

  it('wins over the fingerprint of a client and over later rules', () => {
    const rules = ['first', 'second'].map((name) => ({ name, query: '', fingerprint: [name] }));
    const one = grouped(rules, { extra: { fingerprint: ['mine'] } });
    expect(partsOf(one, 'rule').map(({ value }) => value)).toEqual([['first']]);
    expect(partsOf(one, 'client_fingerprint')).toMatchObject([{ used: false, value: ['mine'] }]);
  });

  it('adds to the built-in parts with {{ default }}', () => {
    const rule = { name: 'r', query: '', fingerprint: ['{{ default }}', '{{ release }}'] };
    const one = grouped([rule]);
    expect(partsOf(one, 'frames')).toMatchObject([{ used: true }]);
    expect(grouped([rule], { error_name: 'OtherError' }).value).not.toBe(one.value);
    expect(grouped([rule], { release: 'v9' }).value).not.toBe(one.value);
  });

  it('does not depend on its name', () => {
    const named = (name: string) => grouped([{ name, query: '', fingerprint: ['x'] }]).value;
    expect(named('a')).toBe(named('b'));
  });
});

describe('a rule about frames', () => {
  const framesOf = (rule: Partial<GroupingRule>) => {
    const one = grouped([{ name: 'r', query: '', ...rule }], { stack: STACK });
    return partsOf(one, 'frames')[0]?.value;
  };

  it('decides about libraries that step back, and whether they return without an application', () => {
    const lines = [
      'org.springframework.Bean.get(Bean.java:1)',
      'shop.Cart.load(Cart.java:2)',
      'java.lang.Thread.run(T.java:3)',
    ];
    const framesIn = (rule: Partial<GroupingRule>, calls: readonly string[]) => {
      const stack = ['E: x', ...calls.map((call) => `\tat ${call}`)].join('\n');
      return partsOf(grouped([{ name: 'r', query: '', ...rule }], { stack }), 'frames')[0]?.value;
    };
    const library = [{ module: 'org.springframework.*' }];
    expect(framesIn({}, lines)).toEqual(['shop.Cart.load']);
    expect(framesIn({ in_app: library }, lines)).toEqual(['org.springframework.Bean.get']);
    const withoutApp = [lines[2] ?? '', lines[0] ?? ''];
    expect(framesIn({}, withoutApp)).toEqual(['org.springframework.Bean.get']);
    expect(framesIn({ not_in_app: library }, withoutApp)).toEqual(['java.lang.Thread.run']);
  });

  it('ignores frames, or marks them as in-app or library frames', () => {
    expect(framesOf({})).toEqual(['retry (retry.js)']);
    expect(framesOf({ ignore_frames: [{ function: 'RETRY' }] })).toEqual(['load (load.js)']);
    expect(framesOf({ not_in_app: [{ file: '*/retry.js' }] })).toEqual(['load (load.js)']);
    expect(framesOf({ in_app: [{ file: '*/http/*', function: 'g*' }] })).toEqual(['get (get.js)']);
    expect(framesOf({ in_app: [{ file: '*/http/*', function: 'x*' }] })).toEqual(['retry (retry.js)']);
  });

  it('is named in the basis, and affects only the parts that it changes', () => {
    const one = grouped([{ name: 'no retries', query: '', ignore_frames: [{ function: 'retry' }] }], { stack: STACK });
    expect(partsOf(one, 'rule')).toEqual([
      {
        part: 'rule',
        used: false,
        value: ['ignore_frames'],
        reason: 'Rule "no retries" changes which frames may decide.',
      },
    ]);
    expect(grouped([{ name: 'r', query: '', ignore_frames: [{ function: 'other' }] }]).value).toBe(grouped([]).value);
  });
});

describe('a rule about messages', () => {
  it('disables replacements, and a later rule enables them again', () => {
    const off = { name: 'off', query: '', patterns_off: ['number'] };
    const message = (rules: GroupingRule[]) =>
      partsOf(grouped(rules, { stack: null, message: 'try "a b" failed' }), 'message')[0]?.value;
    const quoted = { name: 'off', query: '', patterns_off: ['quoted'] };
    expect(message([])).toBe('try <text> failed');
    expect(message([quoted])).toBe('try "a b" failed');
    expect(message([quoted, { name: 'on', query: '', patterns_on: ['quoted'] }])).toBe('try <text> failed');
    expect(message([off])).toBe('try <text> failed');
  });
});

describe('a rule that splits', () => {
  it('makes each value a separate failure, in addition to the other parts', () => {
    const rule = { name: 'per region', query: '', split_by: ['tags.region', 'environment'] };
    const one = grouped([rule]);
    expect(partsOf(one, 'split')).toEqual([
      {
        part: 'split',
        used: true,
        value: ['tags.region', 'eu-west'],
        reason: 'Rule "per region" tells failures apart by tags.region.',
      },
      {
        part: 'split',
        used: true,
        value: ['environment', 'production'],
        reason: 'Rule "per region" tells failures apart by environment.',
      },
    ]);
    expect(grouped([rule], { tags: { region: 'us' } }).value).not.toBe(one.value);
    expect(grouped([rule], { tags: { region: 'us' }, extra: { fingerprint: ['mine'] } }).value).not.toBe(
      grouped([rule], { extra: { fingerprint: ['mine'] } }).value,
    );
  });
});
