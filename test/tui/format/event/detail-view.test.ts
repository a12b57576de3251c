import { readFileSync } from 'node:fs';
import type { RawPayload } from '../../../../core/event/raw-payload.js';
import type { EventDetail } from '../../../../generated/reader-answers.js';
import { detailText } from '../../../../tui/format/event/detail-view.js';
import { sampleEvent } from '../../array-reader.js';

const golden = (name: string): string =>
  readFileSync(new URL(`../../../fixtures/tui/${name}.txt`, import.meta.url), 'utf8');

const HOSTILE = '\u001b[2J\u001b]52;c;aGk=\u0007\u009b5n\u202ekcah\u2066 \u0000\u007f\u2028\ud800';

const NOTHING_OPTIONAL: Partial<RawPayload> = {
  extra: null,
  level: null,
  method: null,
  release: null,
  request_id: null,
  stack: null,
  status_code: null,
  tags: {},
  timestamp: null,
  user_id: null,
};

/** The JSON below a heading. */
function jsonBelow(text: string, heading: string): unknown {
  const from = text.indexOf('{', text.indexOf(`\n${heading}\n`));
  return JSON.parse(text.slice(from, text.indexOf('\n}', from) + 2));
}

describe('the detail view', () => {
  it.each<[string, EventDetail]>([
    ['event-of-a-request', sampleEvent(7, 3)],
    ['event-without-optional-values', sampleEvent(7, 4, NOTHING_OPTIONAL)],
    [
      'event-with-many-lines',
      sampleEvent(7, 5, {
        message: 'first line\r\nsecond line\n\nFingerprint  forged',
        tags: { 'a key\nof two lines': 'a value\nof two lines', z: '', [`long ${'key '.repeat(10)}`]: 'its value' },
        extra: { b: [1, { d: true, c: null }], a: {} },
      }),
    ],
    [
      'event-full-of-escapes',
      sampleEvent(7, 6, {
        app: HOSTILE,
        env: HOSTILE,
        error_name: HOSTILE,
        extra: { [HOSTILE]: HOSTILE },
        level: HOSTILE,
        message: HOSTILE,
        method: HOSTILE,
        release: HOSTILE,
        request_id: HOSTILE,
        route: HOSTILE,
        service: HOSTILE,
        session_id: HOSTILE,
        stack: HOSTILE,
        tags: { [HOSTILE]: HOSTILE },
        timestamp: HOSTILE,
        user_id: HOSTILE,
      }),
    ],
  ])('of an %s has all fields, in order', (name, event) => {
    expect(detailText(event)).toBe(golden(name));
  });

  it('prints both forms as JSON of equal value', () => {
    const event = sampleEvent(7, 6, {
      message: HOSTILE.toWellFormed(),
      extra: { [HOSTILE.toWellFormed()]: [HOSTILE.toWellFormed(), 'e\u0301\u0301\u0301\u0301\u0301\u0301', '👨‍👩‍👧'] },
    });
    const text = detailText(event);
    expect(jsonBelow(text, 'Raw Payload')).toEqual(event.raw.payload);
    expect(jsonBelow(text, 'Normalized Event')).toEqual(event.normalized);
  });

  it('prints a status code of 0 and an empty release', () => {
    const text = detailText(sampleEvent(7, 8, { status_code: 0, release: '' }));
    expect(text).toMatch(/^Status Code {2}0$/m);
    expect(text).toMatch(/^Release/m);
  });

  it('prints one row for each of 10,000 tags', () => {
    const tags = Object.fromEntries(Array.from({ length: 10_000 }, (_, index) => [`key${index}`, `value${index}`]));
    const lines = detailText(sampleEvent(7, 9, { tags })).split('\n');
    const block = lines.slice(lines.indexOf('Tags') + 1, lines.indexOf('Raw Payload') - 1);
    expect(block).toHaveLength(10_000);
    expect(block[0]).toBe('key0     value0');
    expect(block.at(-1)).toBe('key9999  value9999');
  });
});
