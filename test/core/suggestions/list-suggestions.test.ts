import fc from 'fast-check';
import type { IssueId } from '../../../core/event/ids.js';
import type { RawPayload } from '../../../core/event/raw-payload.js';
import { createGrouper } from '../../../core/fingerprint/grouper.js';
import { DEFAULT_GROUPING } from '../../../core/fingerprint/grouping-settings.js';
import { issueIdOf } from '../../../core/issues/issue-id.js';
import { listSuggestions } from '../../../core/suggestions/list-suggestions.js';
import type { Suggestion } from '../../../generated/reader-answers.js';
import { serverPayload } from '../../helpers/payloads.js';

function logged(message: string, changes: Partial<RawPayload> = {}): RawPayload {
  return serverPayload({ error_name: 'Log', stack: null, tags: {}, extra: null, message, ...changes });
}

/** The suggestions among the issues of these payloads. */
async function suggestionsOf(events: readonly RawPayload[]): Promise<Suggestion[]> {
  const grouper = createGrouper(DEFAULT_GROUPING);
  const issues = new Map<IssueId, Parameters<typeof listSuggestions>[0][number] & { payloads: RawPayload[] }>();
  for (const payload of events) {
    const { app, service, message, error_name: errorName } = payload;
    const { value: fingerprint, title, culprit } = grouper.fingerprint(payload);
    const issueId = issueIdOf({ app, service, fingerprint });
    const payloads = [...(issues.get(issueId)?.payloads ?? []), payload];
    issues.set(issueId, {
      issueId,
      app,
      service,
      errorName,
      culprit,
      title,
      message,
      payloads,
      count: payloads.length,
    });
  }
  const payloadsOf = async (issueId: IssueId, count: number) => issues.get(issueId)?.payloads.slice(0, count) ?? [];
  return await listSuggestions([...issues.values()], DEFAULT_GROUPING, payloadsOf, () => true);
}

async function patternsOf(payloads: readonly RawPayload[]): Promise<string[]> {
  return (await suggestionsOf(payloads)).map(({ pattern }) => pattern).sort();
}

function family(template: string, values: string): RawPayload[] {
  return values.split(' ').map((value) => logged(template.replace('{}', value)));
}

describe('suggestions', () => {
  it.each([
    ['cannot load plugin {} for this session', 'search-index auth_ldap geoip mailer pdfgen'],
    ['no colours for theme {} in catalogue', 'Dark light Ocean HighContrast sepia'],
    ['the ({}) warehouse reports negative stock', 'Lyon harbour Basel north main'],
    ['city {} has no delivery slot', 'Basel Bern Zug Chur Sion'],
    ['no handler registered for event {}', 'orderPlaced orderShipped cartEmptied userLeft stockLow'],
  ])('join messages that differ in a value: %s', async (template, values) => {
    expect(await patternsOf(family(template, values))).toEqual([template.replace(/\(?\{\}\)?/, '*')]);
  });

  it.each([
    ['failed to {} data file on volume', 'open close lock flush truncate'],
    ['{} failed on path with permission problem', 'open stat unlink rename chmod'],
    ['connection to upstream proxy was {}', 'refused reset closed aborted dropped'],
    ['the payment service is not {}', 'ready healthy reachable registered responding'],
    ['lost connection {} handshake with peer', 'before after during while since'],
    ['task of stage failed with {}', 'java.io.IOException OutOfMemoryError KeyError TimeoutException FetchFailure'],
    ['request to partner failed with code {}', '404 500 502 503 403'],
    ['system call of worker returned {}', 'ENOENT EACCES EPERM ENOSPC EBADF'],
  ])('leave messages apart that differ in a word or a reason: %s', async (template, values) => {
    expect(await patternsOf(family(template, values))).toEqual([]);
  });

  it('join messages with double spaces and spaces around them', async () => {
    const payloads = family('  cannot  load\tplugin {}  for   this session ', 'geoip auth_ldap pdfgen mailer indexer');
    expect(await patternsOf(payloads)).toEqual(['cannot load plugin * for this session']);
  });

  it('need five values', async () => {
    const four = family('cannot load plugin {} for this session', 'geoip auth_ldap pdf2png mailer');
    expect(await patternsOf([...four, ...four])).toEqual([]);
  });

  it('need three words that stay, of which type and function count as one each', async () => {
    const values = 'Dark light Ocean HighContrast sepia';
    expect(await patternsOf(family('unknown theme {}', values))).toEqual([]);
    const typed = family('unknown theme {}', values).map((one) => ({ ...one, error_name: 'ThemeError' }));
    expect(await patternsOf(typed)).toEqual(['unknown theme *']);
  });

  it('leave out failed assertions', async () => {
    const values = 'red green2 blue cyan4 pink';
    expect(await patternsOf(family('expected colour of button but got {}', values))).toEqual([]);
    expect(await patternsOf(family('assertion of colour failed in theme {}', values))).toEqual([]);
    const asserted = family('colour of the button differs {}', values);
    expect(await patternsOf(asserted.map((one) => ({ ...one, error_name: 'AssertionError [ERR_ASSERTION]' })))).toEqual(
      [],
    );
  });

  it('leave out words that other messages of the service use as text', async () => {
    const plugins = family('cannot load plugin {} for this session', 'zim zam zom zum zem');
    const others = ['zim zam began', 'a zom zum is there', 'zem'].map((message) => logged(message));
    expect(await patternsOf([...plugins, ...others])).toEqual([]);
    const elsewhere = others.map((one) => ({ ...one, service: 'web' }));
    expect(await patternsOf([...plugins, ...elsewhere])).toHaveLength(1);
  });

  it('keep services, types and functions apart', async () => {
    const payloads = family('cannot load plugin {} for this session', 'geoip auth_ldap pdfgen mailer index2');
    expect(await patternsOf(payloads.map((one, index) => ({ ...one, service: `s${index % 2}` })))).toEqual([]);
    expect(
      await patternsOf(payloads.map((one, index) => ({ ...one, error_name: `Bad${'xy'[index % 2]}Error` }))),
    ).toEqual([]);
  });

  it('find a leading or trailing part, and none for sentences', async () => {
    const parts = ['Basel', 'St. Gallen Ost', 'Zürich HB', 'La Chaux', 'Bern Wankdorf Nord'];
    const [found] = await suggestionsOf(parts.map((part) => logged(`no courier is left in region: ${part}`)));
    expect(found).toMatchObject({ varies: 'the part after `region:`' });
    const reasons = ['account is locked', 'wrong password', 'no such user', 'token has expired', 'device not known'];
    expect(await patternsOf(reasons.map((reason) => logged(`authentication failed for shop: ${reason}`)))).toEqual([]);
  });

  it('never share an issue: of those that would, the one with the most events is listed', async () => {
    const themes = family('no colours for theme {} in catalogue north', 'Dark light Ocean sepia mono');
    const shops = family('no colours for theme Dark in catalogue {}', 'Lyon Basel Zug Chur Sion Bern');
    const plugins = family('cannot load plugin {} for this session', 'geoip auth_ldap pdfgen mailer indexer');
    const found = await suggestionsOf([...themes, ...shops, ...plugins]);
    expect(found.map(({ pattern }) => pattern)).toEqual([
      'no colours for theme Dark in catalogue *',
      'cannot load plugin * for this session',
    ]);
    const issueIds = found.flatMap(({ issue_ids: ids }) => ids);
    expect(new Set(issueIds).size).toBe(issueIds.length);
  });

  it('never have fewer than five values, and their rule does not match two words at the place of one', async () => {
    const word = fc.constantFrom(
      'plugin',
      'cannot',
      'session',
      'geoip2',
      'USD',
      'zam',
      'open',
      '*',
      '"q"',
      'a\\b',
      '{{x}}',
      '<n>',
    );
    const message = fc.array(word, { minLength: 1, maxLength: 5 }).map((words) => words.join(' '));
    await fc.assert(
      fc.asyncProperty(fc.array(message, { maxLength: 60 }), message, async (messages, prefix) => {
        const payloads = messages.map((one) => logged(`${prefix} went wrong here again ${one}`));
        for (const { values_total, issues_total, rule, pattern } of await suggestionsOf(payloads)) {
          expect(Math.min(values_total, issues_total)).toBeGreaterThanOrEqual(5);
          const grouper = createGrouper({ ...DEFAULT_GROUPING, rules: [rule] });
          const ruleOf = (text: string) => grouper.fingerprint(logged(text)).basis.rule;
          if (!pattern.includes('<')) {
            expect(ruleOf(pattern.replace('*', 'two words'))).toBe('message');
          }
        }
      }),
    );
  });
});

/** Events of one type and function of an application. */
function raised(...messages: readonly string[]): RawPayload[] {
  return messages.map((message) =>
    serverPayload({
      error_name: 'RehearsalError',
      message,
      extra: null,
      tags: {},
      stack: `RehearsalError: ${message}\n    at tuneGuitars (/srv/band/src/tune.js:12:9)\n    at rehearse (/srv/band/src/band.js:40:3)`,
    }),
  );
}

/** Messages with a number each. */
const thrice = (template: string): string[] => [11, 22, 33].map((value) => template.replace('{}', String(value)));

describe('suggestions about an issue of one function', () => {
  const guitars = thrice('guitar {} kept six rusty pegs');
  const keys = thrice('nobody brought piano {} along');

  it('separate messages that share few words, by the words of the rarer one', async () => {
    const events = raised(...guitars, 'guitar 44 kept six rusty pegs', ...keys);
    const grouper = createGrouper(DEFAULT_GROUPING);
    expect(new Set(events.map((one) => grouper.fingerprint(one).value)).size).toBe(1);
    const [found, ...more] = await suggestionsOf(events);
    expect(more).toEqual([]);
    expect(found).toMatchObject({
      purpose: 'separate',
      pattern: 'nobody brought piano * along',
      values: ['guitar <n> kept six rusty pegs', 'nobody brought piano <n> along'],
      issues_total: 1,
      events_total: 7,
    });
    const after = createGrouper({ ...DEFAULT_GROUPING, rules: found === undefined ? [] : [found.rule] });
    const values = events.map((one) => after.fingerprint(one).value);
    expect(new Set(values.slice(0, 4)).size).toBe(1);
    expect(new Set(values.slice(4)).size).toBe(1);
    expect(new Set(values).size).toBe(2);
  });

  it('find the start of messages that end in texts of different lengths', async () => {
    const ends = ['piano', 'sixth trumpet', 'dusty grand piano'].map((end) => `nobody brought along ${end}`);
    expect(await patternsOf(raised(...guitars, ...guitars, ...ends))).toEqual(['nobody brought along *']);
  });

  it('name one reason at a time', async () => {
    const horns = thrice('the trumpet {} sounded dreadfully flat');
    expect(await patternsOf(raised(...guitars, ...guitars, ...keys, ...horns))).toHaveLength(1);
  });

  it.each([
    ['one reason with several values', [...guitars, ...thrice('guitar {} kept six rusty frets')]],
    ['a reason with two events', [...guitars, ...guitars, ...keys.slice(1)]],
    ['reasons of two words', [...guitars, ...thrice('piano missing {}')]],
    [
      'free text',
      [...guitars, ...keys, ...thrice('drummer {} overslept'), 'rain again', 'bus broke down', 'why though'],
    ],
    ['expectations', [...thrice('expected chord but got {}'), ...keys, ...thrice('expected silence but was {}')]],
  ])('leave %s alone', async (_, messages) => {
    expect(await patternsOf(raised(...messages))).toEqual([]);
  });

  it('leave issues alone that the sender groups', async () => {
    const events = raised(...guitars, ...guitars, ...keys).map((one) => ({ ...one, extra: { fingerprint: ['band'] } }));
    expect(await patternsOf(events)).toEqual([]);
  });
});
