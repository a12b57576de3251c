import fc from 'fast-check';
import { pino } from 'pino';
import { createEventProcessor } from '../../../collector/processors/event-processor/event-processor.js';
import { createFilterProcessor } from '../../../collector/processors/filter-processor.js';
import { Meters } from '../../../collector/telemetry/meters.js';
import type { RawPayload } from '../../../core/event/raw-payload.js';
import { payloadMatcher } from '../../../core/query/match-query.js';
import { parseQuery } from '../../../core/query/parse-query.js';
import { serverPayload } from '../../helpers/payloads.js';
import { createMemoryConsumer } from '../memory-consumer.js';
import { turnsWhile } from './turns-while.js';

/** Units that are searched before other work may run. */
const PIECE = 64 * 1024;

async function isDropped(payload: RawPayload, ...drop: string[]): Promise<boolean> {
  const context = { consumer: createMemoryConsumer(), meters: new Meters(), logger: pino({ level: 'silent' }) };
  const processor = createEventProcessor('filter', context, createFilterProcessor({ drop, error_mode: 'propagate' }));
  const [outcome] = await processor.consume({ receiver: 'events', events: [{ payload }] });
  return outcome?.kind === 'dropped';
}

/** The result of the synchronous matcher. */
function isMatched(payload: RawPayload, query: string): boolean {
  return payloadMatcher(parseQuery(query, 'payloads'))(payload);
}

/** Text after the match. */
const LONG = 'x'.repeat(5 * PIECE);

describe('a filter that searches long texts', () => {
  const sign = fc.constantFrom(
    'a',
    'B',
    'ß',
    'Σ',
    'İ',
    '𐐀',
    '😀',
    '\0',
    "'",
    '.',
    ' ',
    '7',
    '\u0301',
    '\ud800',
    '\udc00',
  );
  const word = fc.string({ unit: sign, minLength: 1, maxLength: 8 });
  const placed = fc.record({ word, piece: fc.integer({ min: 1, max: 4 }), before: fc.integer({ min: -4, max: 12 }) });
  const filler = fc.constantFrom('x', 'Σ', "'", '😀', 'İ', ' Σ', '\0x', 'the quick Fox ');
  const quoted = (...parts: string[]) =>
    `"${parts.map((part) => part.replaceAll(/["\\*]/g, String.raw`\$&`)).join('*')}"`;

  it('has the same result as in one step, at any position of the words', async () => {
    const at = fc.tuple(fc.array(placed, { minLength: 1, maxLength: 4 }), filler, fc.array(word, { maxLength: 2 }));
    await fc.assert(
      fc.asyncProperty(at, async ([words, fill, others]) => {
        let text = '';
        for (const { word: own, piece, before } of words.sort((one, other) => one.piece - other.piece)) {
          const missing = Math.max(0, piece * PIECE - before - text.length);
          text += fill.repeat(Math.ceil(missing / fill.length)).slice(0, missing) + own;
        }
        const long = fill.repeat(Math.ceil((5 * PIECE - text.length) / fill.length));
        const payload = serverPayload({ message: text + long, stack: text, extra: { list: [text, long] } });
        const sought = [...words.map(({ word: own }) => own), ...others];
        const queries = [
          quoted(sought[0] ?? 'x'),
          quoted(...sought),
          `message:~${quoted(...sought)}`,
          `message:${quoted('', ...sought, '')}`,
          `message:${quoted((text + long).slice(0, 3), sought[0] ?? '', '')}`,
          `message:${quoted('', sought.at(-1) ?? '', (text + long).slice(-3))}`,
          `NOT stack:${quoted('', sought[0] ?? '')} AND extra.list:~${quoted(sought[0] ?? '')}`,
        ];
        for (const query of queries)
          expect([query, await isDropped(payload, query)]).toEqual([query, isMatched(payload, query)]);
      }),
    );
  });

  it.each(['Needle', '"Need*le"', 'message:~needle', 'message:*needle*'])(
    'finds %s at every boundary',
    async (query) => {
      for (let before = 0; before <= 6; before += 1) {
        const message = `${LONG.slice(before)}needle${LONG}`;
        expect([before, await isDropped(serverPayload({ message }), query)]).toEqual([before, true]);
      }
    },
  );

  it.each([
    ['message:needle*', 'a word that must begin the text', false],
    ['message:*needle', 'a word that must end it', false],
    ['message:*needle*', 'a word that may stand anywhere', true],
    ['missing OR (level:error message:~"end of*it")', 'what is asked together', true],
    ['NOT needle', 'what must not be there', false],
    ['extra.parts:two', 'a member of a long list', true],
    ['status_code:>500', 'a number', false],
  ])('finds %s with %s', async (query, _what, expected) => {
    const message = `${LONG} the end of Needle, or of it`;
    const extra = { parts: [...Array.from({ length: 20_000 }, (_, at) => at), 'TWO'] };
    expect(await isDropped(serverPayload({ message, extra }), query)).toBe(expected);
  });

  it('combines the results of all queries, and keeps order and counts beside short events', async () => {
    const consumer = createMemoryConsumer();
    const meters = new Meters();
    const settings = { drop: ['gone', 'message:~needle'], error_mode: 'propagate' as const };
    const logger = pino({ level: 'silent' });
    const processor = createEventProcessor('filter', { consumer, meters, logger }, createFilterProcessor(settings));
    const messages = ['a', `${LONG} needle`, 'gone', `${LONG} b`, 'c'];
    const events = messages.map((message) => ({ payload: serverPayload({ message }) }));
    const outcomes = await processor.consume({ receiver: 'events', events });
    expect(outcomes.map(({ kind }) => kind)).toEqual(['stored', 'dropped', 'dropped', 'stored', 'stored']);
    expect(consumer.events.map(({ payload }) => payload)).toEqual([0, 3, 4].map((at) => events[at]?.payload));
    expect(meters.samples('faultline_processor_dropped_items').map(({ value }) => value)).toEqual([2]);
    expect(meters.samples('faultline_processor_outgoing_items').map(({ value }) => value)).toEqual([3]);
  });

  it('lets other work run between the queries that search one text', async () => {
    const message = 'й'.repeat(4 * 1024 * 1024);
    const queries = Array.from({ length: 20 }, (_, at) => `message:~missing${at}`);
    const { result, turns } = await turnsWhile(() => isDropped(serverPayload({ message }), ...queries));
    expect(result).toBe(false);
    expect(turns).toBeGreaterThan(1);
  });
});
