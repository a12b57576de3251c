import fc from 'fast-check';
import { eventMatcher, issueMatcher, payloadMatcher } from '../../../core/query/match-query.js';
import { parseQuery } from '../../../core/query/parse-query.js';
import { QueryFault } from '../../../core/query/query-fault.js';
import { serverPayload } from '../../helpers/payloads.js';
import { eventMatches, faultOf, issueMatches, NOW_MS, sampleEvent, sampleIssue } from './searchable-samples.js';

describe('a query for issues', () => {
  it('matches everything if it is blank', () => {
    expect(issueMatches('')).toBe(true);
    expect(issueMatches('  \t\n ')).toBe(true);
  });

  it('compares complete fields, ignoring case', () => {
    expect(issueMatches('level:ERROR')).toBe(true);
    expect(issueMatches('level:erro')).toBe(false);
    expect(issueMatches('error_name:fetcherror service:Api app:shop type:exception status:open')).toBe(true);
    expect(issueMatches('message:"cart 17 TIMED out"')).toBe(true);
    expect(issueMatches('fingerprint:0123456789ABCDEF0123456789abcdef')).toBe(true);
    expect(issueMatches('issue_id:3f2504e0-4f89-51d3-9a0c-0305e82c3301')).toBe(true);
  });

  it('knows a level by each of its names, whichever its sender used', () => {
    for (const sent of ['warn', 'warning', 'WARN']) {
      for (const written of ['warn', 'warning', 'Wrn', '"warning"', '[info, warn]', 'warn*', '~warn']) {
        expect(eventMatches(`level:${written}`, { level: sent })).toBe(true);
        expect(payloadMatcher(parseQuery(`level:${written}`, 'payloads'))(serverPayload({ level: sent }))).toBe(true);
      }
      expect(eventMatches('level:error', { level: sent })).toBe(false);
    }
    for (const written of ['fatal', 'critical', 'crit']) {
      expect(issueMatches(`level:${written}`, { level: 'critical' })).toBe(true);
      expect(eventMatches(`-level:${written}`, { level: 'panic' })).toBe(false);
    }
    expect(eventMatches('level:p1', { level: 'P1' })).toBe(true);
    expect(eventMatches('level:"P1"', { level: 'p1' })).toBe(true);
  });

  it('compares a quoted level with the stored name only', () => {
    for (const written of ['"warn"', '["warn", "fatal"]']) {
      expect(issueMatches(`level:${written}`, { level: 'warning' })).toBe(false);
    }
    expect(issueMatches('level:"warning"', { level: 'warning' })).toBe(true);
  });

  it.each([
    ['>=warn', ['warning', 'error', 'critical']],
    ['>WARNING', ['error', 'critical']],
    ['<=info', ['trace', 'debug', 'info']],
    ['<information', ['trace', 'debug']],
    ['warn..err', ['warning', 'error']],
    ['fatal..*', ['critical']],
  ])('compares levels by severity: level:%s', (written, expected) => {
    const levels = ['trace', 'debug', 'info', 'warning', 'error', 'critical', 'p1'];
    expect(levels.filter((level) => issueMatches(`level:${written}`, { level }))).toEqual(expected);
    expect(levels.filter((level) => eventMatches(`level:${written}`, { level }))).toEqual(expected);
  });

  it('matches a list if one of its members matches', () => {
    expect(issueMatches('env:staging')).toBe(true);
    expect(issueMatches('environment:production env:staging')).toBe(true);
    expect(issueMatches('env:test')).toBe(false);
    expect(issueMatches('release:v1.1.0')).toBe(true);
    expect(issueMatches('release:v1.1.0', { releases: [] })).toBe(false);
  });

  it('requires all terms, and either side of OR', () => {
    expect(issueMatches('level:error service:web')).toBe(false);
    expect(issueMatches('level:error AND service:web')).toBe(false);
    expect(issueMatches('service:web OR level:error')).toBe(true);
    expect(issueMatches('service:web level:error OR app:shop')).toBe(true);
    expect(issueMatches('service:web (level:error OR app:shop)')).toBe(false);
  });

  it('negates a term or a group with a minus sign or NOT', () => {
    expect(issueMatches('-level:warning')).toBe(true);
    expect(issueMatches('-env:staging')).toBe(false);
    expect(issueMatches('NOT level:warning')).toBe(true);
    expect(issueMatches('-(service:web OR level:error)')).toBe(false);
    expect(issueMatches('-cart')).toBe(false);
    expect(issueMatches('-"cart 18"')).toBe(true);
  });

  it('finds words and phrases in title, error name and message', () => {
    expect(issueMatches('TIMED')).toBe(true);
    expect(issueMatches('"17 timed"')).toBe(true);
    expect(issueMatches('fetch cart')).toBe(true);
    expect(issueMatches('production')).toBe(false);
  });

  it('does not find a phrase across two texts', () => {
    expect(issueMatches('"fetcherrorcart"', { title: 't' })).toBe(false);
    expect(issueMatches('fetcherror*timed', { title: 't' })).toBe(false);
    expect(issueMatches('cart*out')).toBe(true);
  });

  it('matches any text with a star, also in quotes', () => {
    expect(issueMatches('release:v1.*')).toBe(true);
    expect(issueMatches('release:v2.*')).toBe(false);
    expect(issueMatches('error_name:*error')).toBe(true);
    expect(issueMatches('error_name:f*h*r')).toBe(true);
    expect(issueMatches('error_name:fetch*etch*')).toBe(false);
    expect(issueMatches('message:"cart * timed out"')).toBe(true);
    expect(issueMatches('message:*')).toBe(true);
  });

  it('matches escaped quotes, backslashes and stars literally', () => {
    expect(issueMatches(String.raw`message:"a \"b\" \\ \* c"`, { message: String.raw`a "b" \ * c` })).toBe(true);
    expect(issueMatches(String.raw`message:"\*"`, { message: 'anything' })).toBe(false);
    expect(issueMatches(String.raw`message:C:\temp`, { message: String.raw`c:\temp` })).toBe(true);
  });

  it('keeps brackets inside words and closes groups after them', () => {
    expect(issueMatches('main()', { message: 'main() failed', searchText: 'main() failed' })).toBe(true);
    expect(issueMatches('(main() OR nothing)', { searchText: 'main() failed' })).toBe(true);
  });

  it('parses a lone minus sign and a minus sign inside a word as text', () => {
    expect(issueMatches('time-out', { searchText: 'a time-out' })).toBe(true);
    expect(issueMatches('a - b', { searchText: 'a - b' })).toBe(true);
    expect(issueMatches('-', { searchText: 'a b' })).toBe(false);
  });
});

describe('a query for events', () => {
  it('has the fields of requests and users', () => {
    expect(eventMatches('route:/api/v1/* method:put status_code:422 user_id:u-7 request_id:REQ-1')).toBe(true);
    expect(eventMatches('status_code:4')).toBe(false);
    expect(eventMatches('release:v1.4.2 env:production level:error type:exception')).toBe(true);
  });

  it('does not match a field without a value', () => {
    expect(eventMatches('session_id:*')).toBe(false);
    expect(eventMatches('-session_id:*')).toBe(true);
  });

  it('finds tags by key, quoted if necessary', () => {
    expect(eventMatches('tags.region:EU-west')).toBe(true);
    expect(eventMatches('tags.attempt:3')).toBe(false);
    expect(eventMatches('tags.toString:*')).toBe(false);
    expect(eventMatches('tags."a b:c":x', { tags: { 'a b:c': 'x' } })).toBe(true);
    expect(eventMatches('tags.__proto__:x', { tags: JSON.parse('{"__proto__":"x"}') })).toBe(true);
  });

  it('also finds words in the route', () => {
    expect(eventMatches('cart/lines')).toBe(true);
    expect(eventMatches('eu-west')).toBe(false);
  });

  it('compares title, status and issue with those of the issue', () => {
    expect(eventMatches('status:open title:validationerror* issue_id:3f2504e0-4f89-51d3-9a0c-0305e82c3301')).toBe(true);
  });
});

describe('an invalid query', () => {
  it('is reported with its column and the field that was probably meant', () => {
    const fault = faultOf('level:error servce:api');
    expect(fault.code).toBe('QUERY_INVALID');
    expect(fault.column).toBe(13);
    expect(fault.message).toContain('column 13');
    expect(fault.message).toContain('Did you mean "service"?');
    expect(faultOf('error:TypeError').message).toContain('Did you mean "error_name"?');
    expect(faultOf('user:7', 'events').message).toContain('Did you mean "user_id"?');
    expect(fault.message).toContain('level, env, environment');
  });

  it('has no suggestion for a name that is unlike all fields', () => {
    expect(faultOf('http://example.com').message).not.toContain('Did you mean');
  });

  it('is reported if it has a field of events only', () => {
    const fault = faultOf('route:/x');
    expect(fault.column).toBe(1);
    expect(fault.message).toContain('field of events');
  });

  it.each([
    ['a "b c', 3, 'is not closed'],
    ['level:', 7, 'expected a value'],
    ['level: error', 7, 'expected a value'],
    [':x', 1, 'unknown field ""'],
    ['(a OR b', 1, 'is not closed'],
    ['a b)', 4, 'without "("'],
    ['()', 2, 'a term is missing here'],
    ['OR a', 1, 'expected a term before OR'],
    ['a OR', 5, 'a term is missing here'],
    ['a AND OR b', 7, 'expected a term before OR'],
    ['a NOT', 6, 'a term is missing here'],
    ['service:>error', 9, 'cannot be compared'],
    ['level:>=wran', 9, 'expected a level such as warn'],
    ['tags."a', 6, 'is not closed'],
    ['tags."a" b', 9, 'expected ":"'],
    ['tags.:x', 1, 'unknown field "tags."'],
  ])('%s', (query, column, problem) => {
    const fault = faultOf(query, query.startsWith('tags') ? 'events' : 'issues');
    expect([fault.column, fault.code]).toEqual([column, 'QUERY_INVALID']);
    expect(fault.message).toContain(problem);
  });

  it('is rejected if it is too long or too deep', () => {
    expect(faultOf('x'.repeat(4097)).column).toBe(4097);
    expect(faultOf('('.repeat(100)).code).toBe('QUERY_INVALID');
    expect(faultOf('-('.repeat(100)).code).toBe('QUERY_INVALID');
  });

  it('is parsed or throws a fault, for any text', () => {
    const pieces = fc.constantFrom(
      'level',
      ':',
      '"',
      '\\',
      '*',
      '-',
      '(',
      ')',
      ' ',
      'OR',
      'NOT',
      'tags.',
      'a',
      'é',
      '\0',
      'count',
      'first_seen',
      'release',
      '>',
      '<=',
      '..',
      '[',
      ']',
      ',',
      '~',
      '10',
      '2026-11-01',
      '7d',
      'v1.2',
    );
    fc.assert(
      fc.property(fc.array(pieces, { maxLength: 40 }), fc.constantFrom('issues', 'events'), (parts, subject) => {
        try {
          const query = parseQuery(parts.join(''), subject);
          issueMatcher(query, NOW_MS)(sampleIssue());
          if (subject === 'events') eventMatcher(query, NOW_MS)(sampleEvent());
        } catch (error) {
          if (!(error instanceof QueryFault)) throw error;
          expect(error.column).toBeGreaterThan(0);
        }
      }),
    );
  });
});

describe('a pattern', () => {
  it('matches the same texts as the equivalent regular expression', () => {
    const text = fc.stringMatching(/^[ab]{0,12}$/);
    fc.assert(
      fc.property(fc.stringMatching(/^[ab*]{1,8}$/), text, (pattern, message) => {
        const expected = new RegExp(`^${pattern.replaceAll('*', '.*')}$`).test(message);
        expect(issueMatches(`message:${pattern}`, { message })).toBe(expected);
      }),
    );
  });
});
