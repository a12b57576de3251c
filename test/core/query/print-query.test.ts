import fc from 'fast-check';
import { issueMatcher } from '../../../core/query/match-query.js';
import { parseQuery } from '../../../core/query/parse-query.js';
import { printQuery } from '../../../core/query/print-query.js';
import type { QuerySubject } from '../../../core/query/query-fields.js';
import type { SearchableIssue } from '../../../core/query/searchable.js';
import { NOW_MS, sampleIssue } from './searchable-samples.js';

/** The parsed query as JSON, without the functions of its fields. */
const parsedAsJson = (text: string, subject: QuerySubject) => JSON.stringify(parseQuery(text, subject));

const TERMS = [
  'word',
  '"two words"',
  '-no',
  'a*b',
  '"q\\" \\\\ \\* (x) :"',
  '"-"',
  '"OR"',
  'level:error',
  'level:[a, "b c"]',
  'level:Warn',
  'level:"warn"',
  'level:w*',
  'level:>=fatal',
  'level:<err',
  'level:debug..warn',
  'message:~"x*y"',
  'message:""',
  'count:>10',
  'count:"7"',
  'count:1..5',
  'count:3*',
  'count:-0',
  'status_code:0.000001',
  'release:>=v1.4.0-rc.1',
  'release:1..2',
  'release:"1..2"',
  'release:v1.*',
  'first_seen:<24h',
  'first_seen:>999w',
  'last_seen:2026-11-01..2026-11-08',
  'last_seen:<=9999-12-31',
  'last_seen:3d..2026-11-08',
  'timestamp:2026-11',
  'is:new',
  'assignee:*',
  'tags."a b":x',
  'tags.a:"1..2"',
  'extra.a.b:<=-2.5',
  'user_id:"~x"',
  'route:/a/b',
];

const query = fc.letrec<{ term: string; group: string }>((tie) => ({
  term: fc.oneof({ depthSize: 'small', withCrossShrink: true }, fc.constantFrom(...TERMS), tie('group')),
  group: fc
    .tuple(fc.constantFrom(' ', ' OR ', ' AND '), fc.array(tie('term'), { minLength: 1, maxLength: 3 }), fc.boolean())
    .map(([join, terms, isNot]) => `${isNot ? 'NOT ' : ''}(${terms.join(join)})`),
})).group;

describe('a printed query', () => {
  it('is parsed to the query that was printed', () => {
    fc.assert(
      fc.property(query, (text) => {
        const printed = printQuery(parseQuery(text, 'events'));
        expect(parsedAsJson(printed, 'events')).toBe(parsedAsJson(text, 'events'));
      }),
    );
    expect(printQuery(parseQuery('', 'issues'))).toBe('');
  });

  it('has no unnecessary quotes and brackets', () => {
    const plain = 'level:error (release:v1.4.* OR NOT cart) count:>=5';
    expect(printQuery(parseQuery(plain, 'issues'))).toBe(plain);
  });
});

/** Terms and their meaning, written without the query language. */
const MEANINGS: readonly (readonly [string, (issue: SearchableIssue) => boolean])[] = [
  ['level:error', (issue) => issue.level === 'error'],
  ['level:[info,error]', (issue) => ['info', 'error'].includes(issue.level)],
  ['count:>5', (issue) => issue.count > 5],
  ['count:2..7', (issue) => issue.count >= 2 && issue.count <= 7],
  ['is:regressed', (issue) => issue.isRegressed],
  ['assignee:*', (issue) => issue.assignee !== null],
  ['first_seen:<1h', (issue) => NOW_MS - issue.firstSeenMs <= 3_600_000],
  ['release:>=1.2', (issue) => issue.releases.some((release) => release !== '1.1' && release !== 'x')],
  ['message:~ab', (issue) => issue.message.includes('ab')],
  ['message:a*b', (issue) => /^a.*b$/.test(issue.message)],
];

const issue = fc.record({
  level: fc.constantFrom('info', 'error', 'fatal'),
  count: fc.integer({ min: 1, max: 9 }),
  isRegressed: fc.boolean(),
  assignee: fc.constantFrom(null, 'anna'),
  firstSeenMs: fc.integer({ min: NOW_MS - 7_200_000, max: NOW_MS }),
  releases: fc.subarray(['1.1', '1.2', '1.10', 'x']),
  message: fc.stringMatching(/^[abc]{0,4}$/),
});

type Meaning = (typeof MEANINGS)[number];
const meaning = fc.letrec<{ one: Meaning; many: Meaning }>((tie) => ({
  one: fc.oneof({ depthSize: 'small' }, fc.constantFrom(...MEANINGS), tie('many')),
  many: fc.oneof(
    fc
      .tuple(tie('one'), tie('one'))
      .map(([[a, isA], [b, isB]]): Meaning => [`(${a} ${b})`, (it) => isA(it) && isB(it)]),
    fc
      .tuple(tie('one'), tie('one'))
      .map(([[a, isA], [b, isB]]): Meaning => [`(${a} OR ${b})`, (it) => isA(it) || isB(it)]),
    tie('one').map(([a, isA]): Meaning => [`NOT ${a}`, (it) => !isA(it)]),
  ),
})).many;

describe('matching', () => {
  it('equals the meaning of the terms', () => {
    fc.assert(
      fc.property(meaning, issue, ([text, isMeant], changes) => {
        const subject = sampleIssue(changes);
        const matches = issueMatcher(parseQuery(text, 'issues'), NOW_MS);
        expect(matches(subject)).toBe(isMeant(subject));
      }),
    );
  });
});
