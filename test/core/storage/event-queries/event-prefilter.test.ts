import fc from 'fast-check';
import type { RawPayload } from '../../../../core/event/raw-payload.js';
import { normalize } from '../../../../core/normalize/normalize.js';
import { eventMatcher, issueMatcher } from '../../../../core/query/match-query.js';
import { parseQuery } from '../../../../core/query/parse-query.js';
import { isCaseless } from '../../../../core/query/raw-pieces.js';
import { matchesPattern } from '../../../../core/query/text-pattern.js';
import { createRawNeedle } from '../../../../core/storage/event-queries/byte-search.js';
import { createEventPrefilter } from '../../../../core/storage/event-queries/event-prefilter.js';
import { MAYBE, NO, RawBlock, type Verdict, YES } from '../../../../core/storage/event-queries/raw-predicates.js';
import type { IssueState } from '../../../../core/storage/index/content/issue-state.js';
import { eventIdOf } from '../../../../core/storage/index/read-event.js';
import { EventSegment } from '../../../../core/storage/index/segments/event-segment.js';
import { allocateSearchable } from '../../../../core/storage/record/io/pair-finder.js';
import { partitionOf } from '../../../../core/storage/record/partitions/partition-path.js';
import { serverPayload } from '../../../helpers/payloads.js';
import { NOW_MS, sampleIssue } from '../../query/searchable-samples.js';

const RECEIVED_AT_MICROS = NOW_MS * 1000;

/** An event as a scan and as a query see it. */
function eventOf(changes: Partial<RawPayload>, write: (payload: RawPayload) => string = JSON.stringify) {
  const payload = serverPayload({ timestamp: null, ...changes });
  const row = {
    ordinal: 0,
    partition: partitionOf(payload, 500_000),
    line: 3,
    offset: 7,
    bytes: 0,
    receivedAtMicros: RECEIVED_AT_MICROS,
    eventTimeMs: NOW_MS,
    weight: 1,
    isRepeat: false,
  };
  const segment = new EventSegment(0);
  segment.append(row, -1);
  const issue = sampleIssue({ app: payload.app, service: payload.service });
  const before = Buffer.from('{"user_id":"u-0"}\n');
  const text = Buffer.from(write(payload));
  // Another tested line, an untested one, and the event's.
  const bytes = Buffer.concat([before, before, text, Buffer.from('\n{"user_id":"u-8"}')]);
  const start = 2 * before.length;
  const block = new RawBlock(bytes, Int32Array.of(0, start), Int32Array.of(before.length - 1, start + text.length));
  const eventId = eventIdOf(row);
  const receipt = { eventId, fingerprint: issue.fingerprint, receivedAtMicros: RECEIVED_AT_MICROS };
  const subject = { normalized: normalize(payload, receipt).event, receivedAtMicros: RECEIVED_AT_MICROS, issue };
  const context = {
    issues: [issue as unknown as IssueState],
    holdsForIssue: (node: Parameters<typeof issueMatcher>[0]) => {
      const holds = issueMatcher(node, NOW_MS);
      return () => holds(issue);
    },
    titleMatches: (pattern: Parameters<typeof matchesPattern>[0]) => () =>
      matchesPattern(pattern, issue.title.toLowerCase()),
    nowMs: NOW_MS,
  };
  return {
    verdict: (query: string, isRead = true) => {
      const prefilter = createEventPrefilter(parseQuery(query, 'events'), context);
      const verdicts = prefilter.tests.map((test) => {
        const ofLines = new Uint8Array(2);
        test.evaluate(block, ofLines);
        return ofLines[1] as Verdict;
      });
      return prefilter.verdict(segment, 0, isRead ? (test) => verdicts[test] ?? MAYBE : undefined);
    },
    matches: (query: string) => eventMatcher(parseQuery(query, 'events'), NOW_MS)(subject),
  };
}

/** Writes each character in one of the spellings that JSON allows. */
function writeOddly(choices: readonly number[]): (payload: RawPayload) => string {
  let index = 0;
  const write = (value: unknown): string => {
    if (typeof value === 'string') return `"${[...Array(value.length).keys()].map((at) => unit(value, at)).join('')}"`;
    if (Array.isArray(value)) return `[${value.map(write).join(' ,')}]`;
    if (typeof value !== 'object' || value === null) return JSON.stringify(value);
    return `{ ${Object.entries(value)
      .map(([key, member]) => `${write(key)}: ${write(member)}`)
      .join(', ')}}`;
  };
  const unit = (text: string, at: number): string => {
    const code = text.charCodeAt(at);
    index += 1;
    const choice = choices[index % choices.length] ?? 0;
    if (choice === 1 || (code >= 0xd800 && code < 0xe000)) return `\\u${code.toString(16).padStart(4, '0')}`;
    if (choice === 2) return `\\u${code.toString(16).toUpperCase().padStart(4, '0')}`;
    if (choice === 3 && text.charAt(at) === '/') return '\\/';
    return JSON.stringify(text.charAt(at)).slice(1, -1);
  };
  return write;
}

describe('the prefilter of a query', () => {
  it('decides by the row and the issue of an event', () => {
    const { verdict } = eventOf({});
    for (const [query, expected] of [
      ['service:api', YES],
      ['service:web', NO],
      ['env:prod*', YES],
      ['-env:production', NO],
      ['app:shop is:open count:>100', YES],
      ['count:<100 stack:~x', NO],
      ['timestamp:<1h', YES],
      ['received_at:>1h', NO],
      ['timed', YES],
      ['quantity', MAYBE],
      ['service:api quantity', MAYBE],
      ['service:web OR user_id:u-7', MAYBE],
      ['event_id:0', NO],
    ] as const) {
      expect([query, verdict(query, false)]).toEqual([query, expected]);
    }
  });

  it('knows a level by each of its names', () => {
    const { verdict } = eventOf({ level: 'WARN' });
    for (const query of ['level:warning', 'level:warn', 'level:[wrn]']) expect(verdict(query)).toBe(YES);
    expect(verdict('level:error')).toBe(NO);
  });

  it('excludes events whose lines lack a part of the query', () => {
    const { verdict } = eventOf({});
    for (const [query, expected] of [
      ['quantity', MAYBE],
      ['QUANTITY', MAYBE],
      ['quantities', NO],
      ['user_id:u-7', MAYBE],
      // These are in the lines before and after.
      ['user_id:u-0', NO],
      ['user_id:u-8', NO],
      ['-user_id:u-8', YES],
      ['tags.region:eu*', MAYBE],
      ['tags.zone:*', NO],
      ['extra.cart.lines:3', MAYBE],
      ['extra.basket:3', NO],
      ['message:*exceedingly*limit', NO],
      ['level:warning', NO],
      ['level:error', YES],
      ['level:>=warn', YES],
      ['level:<warn', NO],
      ['level:err*', YES],
      ['-level:error', NO],
      ['status_code:422', YES],
      ['status_code:>=501', NO],
      ['-status_code:<600', NO],
      ['type:exception', YES],
      ['type:log', NO],
      ['method:put', YES],
      ['release:>=1.0.0', YES],
      ['-release:*', NO],
      ['stack:~validate-line.js', MAYBE],
      ['stack:~invalidate-line.js', NO],
    ] as const) {
      expect([query, verdict(query)]).toEqual([query, expected]);
    }
  });

  it('never excludes a match, in any JSON spelling of its letters', () => {
    const letters = fc.constantFrom(
      'a',
      'B',
      'k',
      'K',
      'i',
      '/',
      '"',
      '\\',
      '\n',
      '\u001b',
      'é',
      'É',
      'ß',
      'İ',
      '\u212a',
      '\u0307',
      'Σ',
      'ς',
      '漢',
      '😀',
      '5',
    );
    const text = fc.array(letters, { maxLength: 6 }).map((parts) => parts.join(''));
    const asked = fc.array(letters, { minLength: 1, maxLength: 3 }).map((parts) => parts.join(''));
    const written = (value: string) => `"${value.replaceAll(/["\\*]/g, '\\$&')}"`;
    fc.assert(
      fc.property(
        fc.record({ message: text, user_id: text, tag: text, extra: fc.oneof(text, fc.double(), fc.boolean()) }),
        asked,
        fc.constantFrom(
          '',
          'method:',
          'release:',
          'message:~',
          'user_id:',
          'tags.k:~',
          'extra.a.b:',
          'level:',
          '-',
          'stack:~',
          'tags.a:',
        ),
        fc.array(fc.nat(3), { minLength: 1, maxLength: 7 }),
        ({ message, user_id, tag, extra }, value, field, choices) => {
          const level = choices.length > 3 ? tag : null;
          const changes = {
            message,
            user_id,
            tags: { k: tag },
            extra: { a: { b: extra } },
            level,
            stack: tag,
            method: tag,
          };
          for (const event of [eventOf(changes), eventOf(changes, writeOddly(choices))]) {
            for (const query of [
              field + written(value),
              field + written(message || value),
              `NOT ${field}${written(tag || value)}`,
              'level:error',
              'status_code:422',
              '-status_code:>400',
              'type:log',
              '-type:log',
              `${field}"*${value.charAt(0) === '"' ? 'x' : ''}*"`,
            ]) {
              const isMatch = event.matches(query);
              expect(event.verdict(query)).not.toBe(isMatch ? NO : YES);
              expect(event.verdict(query, false)).not.toBe(isMatch ? NO : YES);
            }
          }
        },
      ),
    );
  });

  it('treats characters that are the lower case of others as having case', () => {
    for (let code = 0; code <= 0x10ffff; code += 1) {
      const character = String.fromCodePoint(code);
      const lower = character.toLowerCase();
      if (lower === character) continue;
      for (const part of lower) if (isCaseless(part)) throw new Error(`U+${code.toString(16)} becomes ${part}`);
    }
  });
});

describe('the value of a key in a raw line', () => {
  const verdictsOf = (line: string, ...queries: string[]) => {
    const { verdict } = eventOf({}, () => line);
    return queries.map((query) => verdict(query));
  };

  it('is known if all values of the key in the line agree', () => {
    expect(verdictsOf('{"status_code":503}', 'status_code:503', 'status_code:<503')).toEqual([YES, NO]);
    expect(verdictsOf('{"status_code":null}', 'status_code:503', '-status_code:503')).toEqual([NO, YES]);
    expect(verdictsOf('{"extra":{"status_code":1},"status_code":503}', 'status_code:503', 'status_code:2')).toEqual([
      MAYBE,
      NO,
    ]);
    expect(verdictsOf('{"message":"status_code","status_code":503}', 'status_code:503')).toEqual([YES]);
    expect(verdictsOf('{"level":null}', 'level:error', 'level:info')).toEqual([YES, NO]);
    expect(
      verdictsOf('{"stack":"","status_code":null}', 'type:log', 'type:exception', 'type:[log, exception]'),
    ).toEqual([YES, NO, YES]);
    expect(verdictsOf('{"stack":"\\u0041","status_code":null}', 'type:log')).toEqual([MAYBE]);
  });

  it('is open if it may have another spelling', () => {
    for (const value of ['5.03e2', '503.0', '503e0', ' 503', '0000000000000503', '"503"', 'true', '']) {
      expect([value, ...verdictsOf(`{"status_code":${value}}`, 'status_code:503', 'status_code:1')]).toEqual([
        value,
        MAYBE,
        MAYBE,
      ]);
    }
    expect(verdictsOf('{"status_code" :503}', 'status_code:1')).toEqual([MAYBE]);
    expect(verdictsOf('{"status\\u005fcode":503,"status_code":1}', 'status_code:503')).toEqual([MAYBE]);
    expect(verdictsOf('{"level":"\\u0065rror"}', 'level:info')).toEqual([MAYBE]);
    expect(verdictsOf(`{"level":"${'x'.repeat(300)}"}`, 'level:info')).toEqual([MAYBE]);
    expect(verdictsOf('{"level":"no end', 'level:info')).toEqual([MAYBE]);
    expect(verdictsOf('{}', 'level:info', '-level:info')).toEqual([MAYBE, MAYBE]);
  });
});

describe('a needle', () => {
  it('is found wherever it is in the text, in any case and any memory', () => {
    const memory = allocateSearchable(300);
    const searchable = (text: string): Buffer => memory.subarray(1, 1 + memory.write(text, 1));
    fc.assert(
      fc.property(
        fc.stringMatching(/^[abAB1@`é]{0,80}$/),
        fc.stringMatching(/^[ab1@]{1,5}$/),
        fc.nat(10),
        fc.nat(10),
        (hay, piece, from, cut) => {
          const bytes = Buffer.from(hay);
          const end = Math.max(from, bytes.length - cut);
          const text = bytes.toString('latin1', 0, end).toLowerCase();
          const expected: number[] = [];
          for (let at = text.indexOf(piece, from); at >= 0; at = text.indexOf(piece, at + 1)) expected.push(at);
          for (const bytes of [Buffer.from(hay), searchable(hay)]) {
            const found: number[] = [];
            createRawNeedle({ text: piece, isAscii: true }).search(bytes, from, Math.min(end, bytes.length), (at) => {
              found.push(at);
              return at + 1;
            });
            expect(found).toEqual(expected);
          }
        },
      ),
    );
  });
});
