import { payloadMatcher } from '../../../core/query/match-query.js';
import { parseQuery } from '../../../core/query/parse-query.js';
import { serverPayload } from '../../helpers/payloads.js';
import { eventMatches, faultOf, issueMatches, NOW_MS } from './searchable-samples.js';

const payloadMatches = (query: string, changes = {}) =>
  payloadMatcher(parseQuery(query, 'payloads'))(serverPayload(changes));

describe('numbers', () => {
  it.each([
    ['count:120', true],
    ['count:12', false],
    ['count:>119', true],
    ['count:>120', false],
    ['count:>=120', true],
    ['count:<120', false],
    ['count:<=120', true],
    ['count:10..120', true],
    ['count:121..500', false],
    ['count:100..*', true],
    ['count:*..100', false],
    ['count:1*', true],
    ['count:[5, 120]', true],
    ['count:*', true],
    ['-count:>100', false],
    ['count:>119.5', true],
  ])('%s is %s of 120', (query, expected) => {
    expect(issueMatches(query)).toBe(expected);
  });

  it('are also compared in tags and extra', () => {
    expect(eventMatches('tags.attempt:>2', { tags: { attempt: '3' } })).toBe(true);
    expect(eventMatches('tags.attempt:>=3.5', { tags: { attempt: '3' } })).toBe(false);
    expect(eventMatches('tags.attempt:<9', { tags: { attempt: 'few' } })).toBe(false);
    expect(eventMatches('tags.attempt:<9', { tags: { attempt: '' } })).toBe(false);
    expect(eventMatches('tags.path:../a', { tags: { path: '../a' } })).toBe(true);
    expect(eventMatches('extra.size:10..20', { extra: { size: 15 } })).toBe(true);
  });

  it('include the status code, which is also text', () => {
    expect(eventMatches('status_code:>=500', { status_code: 503 })).toBe(true);
    expect(eventMatches('status_code:5*', { status_code: 503 })).toBe(true);
    expect(eventMatches('status_code:"503"', { status_code: 503 })).toBe(true);
    expect(eventMatches('status_code:<500', { status_code: null })).toBe(false);
  });
});

describe('times', () => {
  const seen = (iso: string) => ({ lastSeenMs: Date.parse(iso) });

  it.each([
    ['last_seen:<24h', '2026-11-20T10:00:01Z', true],
    ['last_seen:<24h', '2026-11-20T09:59:59Z', false],
    ['last_seen:>7d', '2026-11-14T09:59:59Z', true],
    ['last_seen:>7d', '2026-11-14T10:00:01Z', false],
    ['last_seen:>1w', '2026-11-14T09:59:59Z', true],
    ['last_seen:<1h30m', '2026-11-21T08:31:00Z', true],
    ['last_seen:1d..7d', '2026-11-18T00:00:00Z', true],
    ['last_seen:7d..1d', '2026-11-18T00:00:00Z', true],
    ['last_seen:1d..7d', '2026-11-21T00:00:00Z', false],
    ['last_seen:2026-11-08', '2026-11-08T23:59:59.999Z', true],
    ['last_seen:2026-11-08', '2026-11-09T00:00:00Z', false],
    ['last_seen:"2026-11-08 10:00"', '2026-11-08T10:00:59Z', true],
    ['last_seen:2026-11', '2026-11-30T23:59:59Z', true],
    ['last_seen:>2026-11-08', '2026-11-08T12:00:00Z', false],
    ['last_seen:>2026-11-08', '2026-11-09T00:00:00Z', true],
    ['last_seen:>=2026-11-08', '2026-11-08T00:00:00Z', true],
    ['last_seen:<2026-11-08', '2026-11-08T00:00:00Z', false],
    ['last_seen:<=2026-11-08', '2026-11-08T23:00:00Z', true],
    ['last_seen:2026-11-01..2026-11-08', '2026-11-08T23:59:59Z', true],
    ['last_seen:2026-11-01..2026-11-08', '2026-10-31T23:59:59Z', false],
    ['last_seen:2026-11-01..*', '2027-01-01T00:00:00Z', true],
    ['last_seen:>=2026-11-08T10:00:00.500+01:00', '2026-11-08T09:00:00.500Z', true],
    ['last_seen:2024-02-29', '2024-02-29T00:00:00Z', true],
    ['last_seen:*', '2026-11-08T00:00:00Z', true],
  ])('%s of %s is %s', (query, iso, expected) => {
    expect(issueMatches(query, seen(iso))).toBe(expected);
  });

  it('include when an event happened and when it was received', () => {
    const timestamp = '2026-11-21T09:30:00.123456789+00:00';
    expect(eventMatches('timestamp:2026-11-21T09:30:00.123', { timestamp })).toBe(true);
    expect(eventMatches('timestamp:<1h', { timestamp })).toBe(true);
    expect(eventMatches('received_at:2026-05-28', { timestamp })).toBe(true);
  });
});

describe('releases', () => {
  it.each([
    ['release:>=1.4.0', ['v1.4.0'], true],
    ['release:>=1.4.0', ['v1.4.0-rc.1'], false],
    ['release:>1.4', ['1.4.0'], false],
    ['release:>1.9', ['v1.10.0'], true],
    ['release:<2', ['shop@1.10.0+build.7'], true],
    ['release:1.4..1.6', ['1.6.0'], true],
    ['release:1.4..1.6', ['1.3', '1.7'], false],
    ['release:>1.0.0-beta.2', ['1.0.0-beta.11'], true],
    ['release:>1.0.0-alpha', ['1.0.0-alpha.1'], true],
    ['release:<1.0.0-alpha.beta', ['1.0.0-alpha.1'], true],
    ['release:>=1', ['main'], false],
    ['release:v1.4.*', ['v1.4.7'], true],
    ['release:*', [], false],
    ['-release:*', [], true],
    ['releases:main', ['main'], true],
  ])('%s of %j is %s', (query, releases, expected) => {
    expect(issueMatches(query, { releases })).toBe(expected);
  });
});

describe('texts', () => {
  it('match a substring after ~', () => {
    expect(issueMatches('message:~timed')).toBe(true);
    expect(issueMatches('message:timed')).toBe(false);
    expect(issueMatches('message:~"17 TIMED"')).toBe(true);
    expect(issueMatches('message:~cart*out')).toBe(true);
    expect(issueMatches('culprit:~cart.js')).toBe(true);
    expect(issueMatches('message:"~timed"')).toBe(false);
  });

  it('match one of a list', () => {
    expect(issueMatches('level:[error,fatal]')).toBe(true);
    expect(issueMatches('level:[ info , "error" ]')).toBe(true);
    expect(issueMatches('level:[info, warn*]')).toBe(false);
    expect(issueMatches('-level:[error, fatal]')).toBe(false);
    expect(issueMatches('environments:[test, staging] count:>100')).toBe(true);
  });

  it('of extra are found by key and by path', () => {
    const extra = { 'a.b': 'whole', a: { b: 'inner', c: [1, 'two', { x: 1 }] }, on: true, none: null };
    expect(eventMatches('extra.a.b:whole', { extra })).toBe(true);
    expect(eventMatches('extra.a.b:inner', { extra })).toBe(false);
    expect(eventMatches('extra.a.c:two extra.a.c:1', { extra })).toBe(true);
    expect(eventMatches('extra.on:true extra.a:*', { extra })).toBe(true);
    expect(eventMatches('extra.none:* OR extra.a.x:* OR extra.constructor:*', { extra })).toBe(false);
    expect(eventMatches('extra."a.b":whole', { extra })).toBe(true);
    expect(eventMatches('extra.a:*', { extra: null })).toBe(false);
  });

  it('of stacks are found', () => {
    expect(eventMatches('stack:~checkout.js', { stack: 'Error\n at pay (checkout.js:7)' })).toBe(true);
  });
});

describe('fields of issues', () => {
  it.each([
    ['is:open is:new is:unassigned', {}, true],
    ['is:resolved', { status: 'resolved' }, true],
    ['is:IGNORED', { status: 'ignored' }, true],
    ['is:regressed', { isRegressed: true }, true],
    ['is:regressed', {}, false],
    ['-is:spiking', { isSpiking: true }, false],
    ['is:merged', { isMerged: true }, true],
    ['is:[regressed, new]', {}, true],
    ['assignee:anna', { assignee: 'Anna' }, true],
    ['assignee:*', {}, false],
    ['-assignee:*', {}, true],
    ['is:assigned', { assignee: 'anna' }, true],
    ['status:open', { status: 'resolved' }, false],
  ])('%s of %j is %s', (query, changes, expected) => {
    expect(issueMatches(query, changes)).toBe(expected);
    expect(eventMatches(query, {}, changes)).toBe(expected);
  });

  it('apply to an event by its issue', () => {
    const issue = { count: 7, firstSeenMs: NOW_MS - 3_600_000, culprit: 'pay (cart.js)' };
    expect(eventMatches('count:<10 first_seen:<2h culprit:pay*', {}, issue)).toBe(true);
    expect(eventMatches('count:>10', {}, issue)).toBe(false);
  });

  it('can be combined in one query', () => {
    const query =
      'level:error env:production -service:worker status_code:>=500 message:"timed out" tags.region:eu* first_seen:<24h ' +
      'count:>100 is:regressed (release:v1.4.* OR user_id:u-7)';
    const payload = { status_code: 502, message: 'Timed out', tags: { region: 'eu-1' } };
    const issue = { isRegressed: true, firstSeenMs: NOW_MS - 1000 };
    expect(eventMatches(query, payload, issue)).toBe(true);
    expect(eventMatches(query, payload, { ...issue, isRegressed: false })).toBe(false);
  });
});

describe('a query for payloads', () => {
  it('matches fields of the payload', () => {
    expect(payloadMatches('service:api env:production tags.region:* status_code:4* -user_id:u-9')).toBe(true);
    expect(payloadMatches('level:error', { level: null })).toBe(true);
    expect(payloadMatches('quantity stack:*', { stack: 'Error' })).toBe(true);
    expect(payloadMatches('')).toBe(true);
    expect(payloadMatches('extra.a:[1,2]', { extra: { a: 2 } })).toBe(true);
    expect(payloadMatches('release:>=1.4', { release: 'v1.4.2' })).toBe(true);
  });

  it('has no issue', () => {
    for (const query of ['is:open', 'count:1', 'title:x', 'first_seen:<1d', 'issue_id:1']) {
      expect(faultOf(query, 'payloads').message).toContain('is a field of issues');
    }
    expect(faultOf('timestamp:<1d', 'payloads').code).toBe('QUERY_INVALID');
  });
});

describe('an invalid value', () => {
  it.each([
    ['count:many', 7, 'expected a number'],
    ['count:>many', 8, 'expected a number'],
    ['count:10..5', 7, '"10..5" is empty'],
    ['count:..', 7, 'not a value of count'],
    ['first_seen:yesterday', 12, 'expected a time ago such as <24h'],
    ['first_seen:24h', 12, 'expected a time ago such as <24h'],
    ['first_seen:2026-02-30', 12, 'not a value of first_seen'],
    ['first_seen:2026-13', 12, 'not a value of first_seen'],
    ['first_seen:>', 13, 'expected a time'],
    ['first_seen:~x', 12, 'cannot be searched with ~'],
    ['first_seen:2026-11-08..2026-11-01', 12, 'is empty'],
    ['first_seen:<9999999w', 13, 'expected a time'],
    ['release:>main', 10, 'expected a version'],
    ['release:2..1', 9, 'is empty'],
    ['service:>error', 9, 'cannot be compared'],
    ['is:regresed', 4, 'Did you mean "regressed"?'],
    ['is:*', 4, 'Values are open, resolved'],
    ['status:opn', 8, 'Did you mean "open"?'],
    ['type:crash', 6, 'Values are log, exception'],
    ['level:[a', 7, 'is not closed'],
    ['level:[]', 8, 'expected a value'],
    ['level:[a,]', 10, 'expected a value'],
    ['level:[a b]', 7, 'is not closed'],
    ['level:~', 8, 'expected a value'],
    ['asignee:x', 1, 'Did you mean "assignee"?'],
  ])('%s', (query, column, problem) => {
    const fault = faultOf(query);
    expect([fault.code, fault.column]).toEqual(['QUERY_INVALID', column]);
    expect(fault.message).toContain(problem);
  });

  it('is reported if there are more than 256', () => {
    const fault = faultOf(Array(300).fill('a').join(' '));
    expect(fault.message).toContain('more than 256 values');
    expect(fault.column).toBe(513);
    expect(faultOf(`level:[${Array(300).fill('a').join(',')}]`).message).toContain('more than 256 values');
  });
});
