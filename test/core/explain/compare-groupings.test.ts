import fc from 'fast-check';
import { loadConfig } from '../../../config/load-config.js';
import type { EventId, IssueId } from '../../../core/event/ids.js';
import type { RawPayload } from '../../../core/event/raw-payload.js';
import { compareGroupings } from '../../../core/explain/compare-groupings.js';
import { ruleYaml } from '../../../core/explain/comparison-lines.js';
import type { GroupedExample } from '../../../core/explain/query-for.js';
import { withRule } from '../../../core/explain/try-candidates.js';
import { createGrouper } from '../../../core/fingerprint/grouper.js';
import { DEFAULT_GROUPING, type GroupingSettings } from '../../../core/fingerprint/grouping-settings.js';
import { checkGrouping, groupingOf } from '../../../core/fingerprint/rules/check-grouping.js';
import type { GroupingComparison } from '../../../generated/reader-answers.js';
import { serverPayload } from '../../helpers/payloads.js';

/** An event as a store groups it: an issue for each service and fingerprint. */
function example(index: number, payload: RawPayload, settings: GroupingSettings, issue?: string): GroupedExample {
  const fingerprint = createGrouper(settings).fingerprint(payload);
  const eventId = `019a3c5e-7d2f-7a10-8000-00000000000${index}` as EventId;
  const issueId = (issue ?? `${payload.app} ${payload.service} ${fingerprint.value}`) as IssueId;
  return { id: eventId, eventId, issueId, payload, fingerprint };
}

function compared(
  a: Partial<RawPayload>,
  b: Partial<RawPayload>,
  settings: GroupingSettings = DEFAULT_GROUPING,
): Promise<GroupingComparison> {
  return compareGroupings(example(1, serverPayload(a), settings), example(2, serverPayload(b), settings), settings);
}

const STACK = 'CartError: x\n    at load (/srv/src/load.js:3:1)';
const LOG = { stack: null, extra: null, tags: {}, error_name: 'PoolError' };

describe('two events that are two issues', () => {
  it('are compared by their equal and different parts, with a reason', async () => {
    const { same, equal, differ, note } = await compared(
      { ...LOG, message: 'no connection after 5 s' },
      { ...LOG, message: 'connection reset by peer' },
    );
    expect({ same, note }).toEqual({ same: false, note: null });
    expect(equal).toContainEqual({ part: 'error_name', value: 'PoolError', used: true });
    expect(differ).toEqual([
      expect.objectContaining({
        part: 'message',
        a: 'no connection after <time>',
        b: 'connection reset by peer',
        used_a: true,
        reason_a: expect.stringContaining('no frame decides'),
      }),
    ]);
  });

  it('are joined by a rule that enables replacing a kind of value again', async () => {
    const settings = { ...DEFAULT_GROUPING, patterns_off: ['duration', 'number'] };
    const { suggestion } = await compared(
      { ...LOG, message: 'no answer after 5s' },
      { ...LOG, message: 'no answer after 9s' },
      settings,
    );
    expect(suggestion).toMatchObject({ purpose: 'join', rule: { patterns_on: ['duration'] }, place: 'last' });
    expect(suggestion?.rule.query).toBe('service:api error_name:PoolError');
  });

  it('are joined by type and function if only the message differs', async () => {
    const stack = 'TypeError: x\n    at load (/srv/src/load.js:3:1)';
    const { suggestion } = await compared(
      { error_name: 'TypeError', message: 'a is not a function', stack },
      { error_name: 'TypeError', message: 'b has no length', stack },
    );
    expect(suggestion?.rule).toMatchObject({ fingerprint: ['{{ error_name }}', '{{ function }}'] });
    expect(suggestion?.also).toContain('faultline merge ');
  });

  it('are joined by ignoring the frame that differs', async () => {
    const stack = (helper: string): string =>
      `CartError: x\n    at ${helper} (/srv/src/${helper}.js:3:1)\n    at load (/srv/src/load.js:3:1)`;
    const one = { error_name: 'CartError', message: 'x', stack: stack('viaCache') };
    const { suggestion } = await compared(one, { ...one, stack: stack('viaStock') });
    expect(suggestion?.rule.ignore_frames).toEqual([{ function: 'viaCache' }, { function: 'viaStock' }]);
  });

  it('are joined by their message if their frames differ', async () => {
    const stack = (name: string): string =>
      `CartError: x\n    at ${name} (/srv/src/${name}.js:3:1)\n    at via_${name} (/srv/src/${name}.js:9:1)`;
    const one = { error_name: 'CartError', message: 'the cart is gone', stack: stack('load') };
    const { suggestion } = await compared(one, { ...one, stack: stack('save') });
    expect(suggestion?.rule.fingerprint).toEqual(['{{ error_name }}', '{{ message }}']);
  });

  it('are joined under a fixed name if they have nothing in common, by a narrow query', async () => {
    const { suggestion } = await compared(
      { ...LOG, error_name: 'PoolError', message: 'no {{ connection }} "main" after 5 s' },
      { ...LOG, error_name: 'SocketError', message: 'reset by 10.0.0.7' },
    );
    expect(suggestion?.rule.query).toBe(
      `service:api ((error_name:PoolError message:"no {{ connection }} * after *") OR (error_name:SocketError message:"reset by *"))`,
    );
    expect(suggestion?.rule.fingerprint).toHaveLength(1);
  });

  it('of two services are related, and no rule joins them', async () => {
    const { same, suggestion, note } = await compared({}, { service: 'worker' });
    expect({ same, suggestion }).toEqual({ same: false, suggestion: null });
    expect(note).toContain('same failure in two services');
  });

  it('get a note with the rule if a rule of the user separates them', async () => {
    const settings = { ...DEFAULT_GROUPING, rules: [{ name: 'regions', query: '', split_by: ['tags.region'] }] };
    const { suggestion, note } = await compared({}, { tags: { region: 'us' } }, settings);
    expect(suggestion).toBeNull();
    expect(note).toContain('Rule "regions" tells failures apart by tags.region');
  });
});

describe('two events that are one issue', () => {
  it('are separated by their message if only stack and type decided', async () => {
    const { same, suggestion } = await compared(
      { error_name: 'CartError', stack: STACK, message: 'pears are gone' },
      { error_name: 'CartError', stack: STACK, message: 'plums are gone' },
    );
    expect(same).toBe(true);
    expect(suggestion).toMatchObject({
      purpose: 'separate',
      rule: { fingerprint: ['{{ default }}', '{{ message }}'] },
    });
  });

  it('are separated by the kind of value that was replaced', async () => {
    const { suggestion } = await compared(
      { ...LOG, message: 'see https://a.example/orders/17' },
      { ...LOG, message: 'see https://a.example/orders/18' },
    );
    expect(suggestion?.rule.patterns_off).toEqual(['url']);
  });

  it.each([
    [{ tags: { region: 'eu', request: '9f8e7d6c' } }, { tags: { region: 'us', request: '1a2b3c4d' } }, 'tags.region'],
    [{ route: '/a' }, { route: '/b' }, 'route'],
    [{ method: 'GET' }, { method: 'PUT' }, 'method'],
    [{ status_code: 500 }, { status_code: 503 }, 'status_code'],
    [{ release: 'v1' }, { release: null }, 'release'],
    [{ env: 'production' }, { env: 'staging' }, 'environment'],
  ])('are separated by a field that differs: %j %j', async (a, b, field) => {
    expect((await compared(a, b)).suggestion?.rule.split_by).toEqual([field]);
  });

  it('get a note if a merge joined them', async () => {
    const [a, b] = [{ message: 'x' }, { error_name: 'OtherError' }].map((changes, index) =>
      example(index, serverPayload(changes), DEFAULT_GROUPING, 'one issue'),
    );
    if (a === undefined || b === undefined) throw new Error('two examples');
    const { same, suggestion, note } = await compareGroupings(a, b, DEFAULT_GROUPING);
    expect({ same, suggestion }).toEqual({ same: true, suggestion: null });
    expect(note).toContain('merged');
  });

  it('get no rule if they do not differ', async () => {
    expect(await compared({}, { user_id: 'u-8' })).toMatchObject({
      same: true,
      suggestion: null,
      note: expect.stringContaining('Nothing'),
    });
  });
});

it('get a note about rules that apply to new events only, if these change the result', async () => {
  const [a, b] = [{ tags: { region: 'eu' } }, { tags: { region: 'us' } }].map((changes, index) =>
    example(index, serverPayload(changes), DEFAULT_GROUPING),
  );
  if (a === undefined || b === undefined) throw new Error('two examples');
  const today = { ...DEFAULT_GROUPING, rules: [{ name: 'r', query: '', split_by: ['tags.region'] }] };
  expect((await compareGroupings(a, b, today)).note).toContain('regroup --apply');
});

const word = fc.constantFrom(
  'cart',
  'pool "main"',
  'http://x.example/a',
  '17',
  '9f8e7d6c',
  '$',
  '{{ x }}',
  '*',
  '\\',
  'é\u202e',
  '\n',
);
const sentence = fc.array(word, { maxLength: 5 }).map((words) => words.join(' '));
const payload = fc
  .record({
    error_name: fc.constantFrom('', 'Error', 'CartError', 'a "b" $c', 'PoolError'),
    message: sentence,
    route: fc.constantFrom('', '/a', '/b'),
    release: fc.constantFrom(null, 'v1', 'v2'),
    stack: fc.constantFrom(
      null,
      'E: x\n    at load (/srv/src/load.js:3:1)',
      'E: x\n    at save (/srv/src/save.js:3:1)\n    at load (/srv/src/load.js:3:1)',
    ),
    tags: fc.dictionary(fc.constantFrom('region', 'a b', 'x'), sentence, { maxKeys: 2 }),
    extra: fc.constantFrom<RawPayload['extra'][]>(
      null,
      { fingerprint: ['mine'] },
      { fingerprint: ['{{ default }}', 'more'] },
    ),
  })
  .map((changes) => serverPayload(changes));
const settings = fc
  .record({
    patterns_off: fc.subarray(['number', 'url', 'identifier']),
    rules: fc.subarray([
      { name: 'one', query: '', split_by: ['tags.region'] },
      { query: 'error_name:CartError', fingerprint: ['cart'] },
      { query: 'service:api', ignore_frames: [{ function: 'save' }], patterns_off: ['quoted'] },
    ]),
  })
  .map((section) => groupingOf(section, 2));

describe('a suggested rule', () => {
  it('works with the existing rules, is valid, and can be pasted', async () => {
    await fc.assert(
      fc.asyncProperty(payload, payload, settings, async (one, other, given) => {
        const { suggestion } = await compareGroupings(example(1, one, given), example(2, other, given), given);
        if (suggestion === null) return;
        const { rule, place, purpose } = suggestion;
        const grouper = createGrouper(withRule(rule, place, given));
        const areAlike = grouper.fingerprint(one).value === grouper.fingerprint(other).value;
        expect(areAlike).toBe(purpose === 'join');
        expect(checkGrouping(withRule(rule, place, given))).toEqual([]);
        expect(pasted(ruleYaml(rule))).toEqual([rule]);
      }),
    );
  });
});

/** The rules of a configuration with this text added. */
function pasted(yaml: string): object[] {
  const text = `receivers: { events: }\nexporters: { store: }\nservice: { pipelines: { events: { receivers: [events], exporters: [store] } } }\n${yaml}`;
  const { settings: loaded } = loadConfig({ files: [{ name: 'c.yaml', text }], sets: [], env: {} });
  return [...groupingOf(loaded.grouping, 2).rules];
}
