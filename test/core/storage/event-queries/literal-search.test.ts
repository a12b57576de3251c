import fc from 'fast-check';
import type { RawPayload } from '../../../../core/event/raw-payload.js';
import { normalize } from '../../../../core/normalize/normalize.js';
import { eventMatcher } from '../../../../core/query/match-query.js';
import { parseQuery } from '../../../../core/query/parse-query.js';
import { isCertain, OTHER_CAPITALS, requiredTexts } from '../../../../core/query/required-texts.js';
import { matchesPattern } from '../../../../core/query/text-pattern.js';
import { LiteralSearch } from '../../../../core/storage/event-queries/literal-search.js';
import { serverPayload } from '../../../helpers/payloads.js';
import { NOW_MS, sampleIssue } from '../../query/searchable-samples.js';

/** Offsets that a search visits, ascending. */
function placesIn(block: Buffer, ...literals: string[]): number[] {
  const places: number[] = [];
  new LiteralSearch(literals).search(block, (at) => {
    places.push(at);
    return at + 1;
  });
  return places.sort((left, right) => left - right);
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

/** Whether a query matches an event, and whether a search for its required texts would read the line. */
function look(query: string, changes: Partial<RawPayload>, write: (payload: RawPayload) => string) {
  const payload = serverPayload({ timestamp: null, ...changes });
  const issue = sampleIssue({ app: payload.app, service: payload.service });
  const receipt = { eventId: '' as never, fingerprint: issue.fingerprint, receivedAtMicros: NOW_MS * 1000 };
  const { event: normalized } = normalize(payload, receipt);
  const node = parseQuery(query, 'events');
  const texts = requiredTexts(node);
  const isTitled = texts?.some(
    ({ titlePattern }) => titlePattern !== undefined && matchesPattern(titlePattern, issue.title.toLowerCase()),
  );
  const line = Buffer.from(write(payload));
  return {
    isMatch: eventMatcher(node, NOW_MS)({ normalized, others: [], receivedAtMicros: receipt.receivedAtMicros, issue }),
    isRead: texts === undefined || isTitled || placesIn(line, ...texts.map(({ literal }) => literal)).length > 0,
  };
}

describe('the search for texts that matches have', () => {
  it.each([
    ['quantity', true],
    ['QUANTITY', true],
    ['quantities', false],
    ['user_id:u-7', true],
    ['user_id:u-8', false],
    ['-user_id:u-8', true],
    ['user_id:u-8 OR user_id:u-7', true],
    ['user_id:[u-8, u-9]', false],
    ['quantity user_id:u-8x', true],
    ['(quantities user_id:u-7) OR (user_id:u-8 basket)', false],
    ['tags.region:eu*', true],
    ['tags.zone:*', false],
    ['extra.cart.lines:3', true],
    ['extra.basket:3', false],
    ['message:*exceedingly*limit', false],
    ['method:put', true],
    ['level:warning', true],
    ['stack:~validate-line.js', true],
    ['stack:~invalidate-line.js', false],
  ])('reads the sample line for %s: %s', (query, isRead) => {
    expect(look(query, {}, JSON.stringify).isRead).toBe(isRead);
  });

  it('never skips a match, in any JSON spelling of its letters', () => {
    const letters = fc.constantFrom(
      ...['a', 'B', 'k', 'K', 'i', '/', '"', '\\', '\n', '\u001b', 'é', 'É', 'ß', 'İ', '\u212a', '\u0307', 'Σ', 'ς'],
      ...['漢', '😀', '\ud800', '\ufffd', '\u007f', '5'],
    );
    const text = fc.array(letters, { maxLength: 6 }).map((parts) => parts.join(''));
    const sought = fc.array(letters, { minLength: 1, maxLength: 3 }).map((parts) => parts.join(''));
    const written = (value: string) => `"${value.replaceAll(/["\\*]/g, '\\$&')}"`;
    const fields = [
      '',
      'method:',
      'message:~',
      'user_id:',
      'tags.k:~',
      'extra.a.b:',
      'level:',
      '-',
      'stack:~',
      'tags.a:',
    ];
    fc.assert(
      fc.property(
        fc.record({ message: text, user_id: text, tag: text, extra: fc.oneof(text, fc.double(), fc.boolean()) }),
        sought,
        fc.constantFrom(...fields),
        fc.array(fc.nat(3), { minLength: 1, maxLength: 7 }),
        ({ message, user_id, tag, extra }, value, field, choices) => {
          const changes = { message, user_id, tags: { k: tag }, extra: { a: { b: extra } }, stack: tag, method: tag };
          for (const query of [
            field + written(value),
            field + written(message || value),
            `NOT ${field}${written(tag || value)}`,
            `${field}${written(value)} OR user_id:${written(user_id || value)}`,
            `message:~${written(message || value)} stack:~${written(tag || value)}`,
          ]) {
            for (const write of [JSON.stringify, writeOddly(choices)]) {
              const { isMatch, isRead } = look(query, changes, write);
              if (isMatch) expect([query, isRead]).toEqual([query, true]);
            }
          }
        },
      ),
    );
  });

  it('finds a literal wherever it is, in any case', () => {
    fc.assert(
      fc.property(fc.stringMatching(/^[abAB1@`é]{0,80}$/), fc.stringMatching(/^[ab1@é]{1,5}$/), (text, literal) => {
        const hay = Buffer.from(text)
          .toString('latin1')
          .replaceAll(/[A-Z]/g, (letter) => letter.toLowerCase());
        const needle = Buffer.from(literal).toString('latin1');
        let count = 0;
        for (let at = hay.indexOf(needle); at >= 0; at = hay.indexOf(needle, at + 1)) count += 1;
        expect(placesIn(Buffer.from(text), literal)).toHaveLength(count);
      }),
    );
  });

  it('is for characters that no other character has as its lower case, but for two', () => {
    for (let code = 0x80; code <= 0x10ffff; code += 1) {
      const character = String.fromCodePoint(code);
      const lower = character.toLowerCase();
      if (lower === character || Object.values(OTHER_CAPITALS).includes(character)) continue;
      for (const part of lower) if (isCertain(part)) throw new Error(`U+${code.toString(16)} becomes ${part}`);
    }
    expect(Object.entries(OTHER_CAPITALS).every(([letter, capital]) => capital.toLowerCase().startsWith(letter))).toBe(
      true,
    );
  });
});
