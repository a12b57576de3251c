import fc from 'fast-check';
import { type Brief, briefMarkdown } from '../../../core/brief/brief.js';
import { countTokens } from '../../../core/brief/count-tokens.js';
import { eventBrief } from '../../../core/brief/event-brief.js';
import { listBrief } from '../../../core/brief/list-brief.js';
import { toEventId } from '../../../core/event/ids.js';
import type { RawPayload } from '../../../core/event/raw-payload.js';
import type { EventDetail } from '../../../generated/reader-answers.js';
import { closeStores, storeInMemory } from '../storage/store-under-test.js';
import { TEN_O_CLOCK_MS } from '../storage/ten-o-clock.js';

afterEach(closeStores);

const frame = (name: string, inApp: boolean) => ({
  function: name,
  filename: `shop/${name}.py`,
  lineno: 42,
  in_app: inApp,
  pre_context: ['before'],
  context_line: `    call(${name})`,
  post_context: ['after'],
});
const SENTRY = {
  exception: {
    values: [
      { type: 'CartError', value: 'empty', stacktrace: { frames: [frame('serve', false), frame('checkout', true)] } },
    ],
  },
  breadcrumbs: { values: [{ message: 'opened' }, { message: 'clicked' }] },
};

async function eventOf(changes: Partial<RawPayload>): Promise<EventDetail> {
  const { reader, append } = await storeInMemory();
  const [stored] = await append(changes);
  const id = toEventId(stored?.event_id ?? '');
  const event = id && (await reader.getEvent(id));
  if (event === undefined) throw new Error('nothing was stored');
  return event;
}

function textOf({ parts }: Brief): string {
  return parts.map(({ text }) => text).join('\n');
}

describe('the brief of an event', () => {
  it('shows the error, calls of the application with their source, then breadcrumbs, newest first', async () => {
    const event = await eventOf({ error_name: 'CartError', message: 'empty', extra: { sentry: SENTRY } });
    const brief = eventBrief(event, { maxTokens: 2_000, nowMs: TEN_O_CLOCK_MS });
    const text = textOf(brief);
    const places = [
      'CartError: empty',
      'checkout (shop/checkout.py:42)',
      '> 42     call(checkout)',
      'clicked',
      'opened',
    ];
    const found = places.map((place) => text.indexOf(place));
    expect(found).toEqual([...found].sort((a, b) => a - b));
    expect(found).not.toContain(-1);
    expect(brief.leftOut).toEqual({ frames: 1 });
  });

  it('names the origin of the sender on its fence', async () => {
    const event = await eventOf({});
    const opening = (origin: 'anonymous' | null) =>
      briefMarkdown(eventBrief({ ...event, origin }, { maxTokens: 500, nowMs: 0 })).match(/^~~~ untrusted.*$/m)?.[0];
    expect(opening('anonymous')).toBe('~~~ untrusted, origin: anonymous');
    expect(opening(null)).toBe('~~~ untrusted, origin: unknown');
  });

  it.each([500, 8_000])('takes at most %d tokens, also of much text in any script', async (maxTokens) => {
    for (const text of [
      'word '.repeat(50_000),
      '\u6f22'.repeat(75_000),
      '\u{1f469}\u{1f3fd}'.repeat(25_000),
      'x'.repeat(250_000),
    ]) {
      const event = await eventOf({ message: text, stack: `E: ${text}`, tags: { text }, extra: { text } });
      const brief = eventBrief(event, { maxTokens, nowMs: TEN_O_CLOCK_MS });
      expect(countTokens(briefMarkdown(brief))).toBe(brief.tokens);
      expect(brief.tokens).toBeLessThanOrEqual(maxTokens);
      expect(brief.tokens).toBeGreaterThan(maxTokens / 2);
      expect(textOf(brief)).toMatch(/… \d+ characters left out/);
      expect(textOf(brief)).not.toMatch(/[\ud800-\udbff](?![\udc00-\udfff])/);
    }
  });

  it('keeps its budget whatever the fields hold', async () => {
    const event = await eventOf({});
    const anyText = fc.string({ unit: 'grapheme', maxLength: 3_000 });
    fc.assert(
      fc.property(anyText, anyText, fc.dictionary(anyText, anyText, { maxKeys: 50 }), (message, stack, tags) => {
        const changed = { ...event, normalized: { ...event.normalized, message, stack, tags } };
        const brief = eventBrief(changed, { maxTokens: 500, nowMs: TEN_O_CLOCK_MS });
        expect(countTokens(briefMarkdown(brief))).toBeLessThanOrEqual(500);
      }),
    );
  });
});

describe('the brief of a list', () => {
  it('shows the rows that fit and counts the others', async () => {
    const { reader, append } = await storeInMemory();
    await append(...Array.from({ length: 100 }, (_, index) => ({ message: `event ${index} ${'x'.repeat(100)}` })));
    const { events } = await reader.searchEvents({ limit: 100 });
    const brief = listBrief(events, { maxTokens: 2_000, nowMs: TEN_O_CLOCK_MS });
    const shown = textOf(brief).match(/^\d+ [0-9a-f]{8}-/gm)?.length ?? 0;
    expect(shown).toBeGreaterThan(5);
    expect(brief.leftOut).toEqual({ rows: 100 - shown });
    expect(brief.tokens).toBeLessThanOrEqual(2_000);
  });
});
