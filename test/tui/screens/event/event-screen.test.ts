import type { TestTerminal } from '../../../helpers/terminal.js';
import { type ArrayReader, createArrayReader, sampleEvent, sampleIssue } from '../../array-reader.js';
import { browse, endTerminals } from '../../running-terminal.js';

const ENTER = '\r';
const HALF_DOWN = '\u0004';
const PAGE_DOWN = '\u001b[6~';

const NO_COLOUR = { env: { NO_COLOR: '1' } };

afterEach(endTerminals);

async function toEvent(terminal: TestTerminal): Promise<string[]> {
  await terminal.see('Failure1');
  terminal.type(ENTER);
  await terminal.see('TIME UTC');
  terminal.type(ENTER);
  return await terminal.see('Event 019a3c5e');
}

const reader = (): ArrayReader =>
  createArrayReader({
    issues: [sampleIssue(1, { count: 2 })],
    events: [sampleEvent(1, 1), sampleEvent(1, 2, { message: 'the last one' })],
  });

describe('the event screen', () => {
  it('has the tabs below its title, and below them all fields of the specification', async () => {
    const { terminal } = browse(reader(), NO_COLOUR);
    const rows = await toEvent(terminal);
    expect(rows[0]).toMatch(/^ Faultline {2}Issues › ValidationError › 20 Nov 10:00 +1 of 2 · live$/);
    expect(rows[1]).toBe(' 1[Detail] 2 Stack 2  3 Related 1  4 Compare');
    expect(rows.slice(2, 5)).toEqual(['  Event 019a3c5e', '', '  Event ID     019a3c5e-0000-7000-8000-000000000002']);
    terminal.type('G');
    const bottom = await terminal.see('  "user_id": "u-7"');
    expect(bottom.slice(20, 23)).toEqual(['  }', '', '› Back to Issue']);
  });

  it.each([
    [60, 10],
    [80, 24],
    [200, 60],
  ])('fills its window in every pane at %sx%s', async (columns, rows) => {
    const { terminal } = browse(reader(), { ...NO_COLOUR, columns, rows });
    await toEvent(terminal);
    for (const [key, text] of [
      ['2', 'checkQuantity'],
      ['3', '3[Related'],
      ['4', '4[Compare]'],
      ['1', 'Event ID'],
    ] as const) {
      terminal.type(key);
      const seen = await terminal.see(text);
      expect(seen[0]).toMatch(/^ Faultline {2}Issues › \S+ › /);
      expect(seen).toHaveLength(rows);
    }
  });

  it('steps to the next event in the same pane', async () => {
    const { terminal } = browse(reader(), NO_COLOUR);
    await toEvent(terminal);
    terminal.type('/message\r');
    await terminal.see('Message      the last one');
    terminal.type('n');
    await terminal.see('Message      quantity 12');
    terminal.type('n');
    await terminal.see('Last event.');
  });
});

describe('external text', () => {
  const everyControl = [
    ...Array.from({ length: 0x20 }, (_, code) => String.fromCharCode(code)),
    '\u007f',
    ...Array.from({ length: 0x20 }, (_, code) => String.fromCharCode(0x80 + code)),
  ].join('.');
  const hostile = [
    '\u001b[31mred\u001b[2J\u001b[5;5H',
    '\u001b]52;c;aGFja2Vk\u0007\u001b]0;title\u001b\\\u001bPq#0~\u001b\\',
    '\u009b31m\u009d52;c;aGk=\u009c',
    '\u202eevil\u2066\u200b\ufeff\u2028',
    everyControl,
  ].join(' ');
  /** Every sequence that the terminal writes. */
  const OURS = /\u001b\[(?:\?(?:1049|25|7|2004|2026|1000|1002|1006)[hl]|\d+;\d+H|\d+C|K|2J|[0-9;]*[mr]|\d+[LM])/g;
  const OBEYED = /[\u0000-\u001f\u007f-\u009f\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff]/;

  it('is written as plain text only, in every field and every pane', async () => {
    const stack = (text: string): string => {
      const flat = text.replace(/[\n\r]/g, '');
      const frames = [`    at ${flat} (/srv/${flat}.js:1:2)`, `    at fine (/srv/a/${flat}/b.js:3:4)`];
      return [`${flat}Error: ${text}`, ...frames, `Caused by: ${text}`, ...frames, text].join('\n');
    };
    const hostileEvent = (number: number, text: string) => {
      const event = sampleEvent(1, number, {
        app: text,
        env: text,
        error_name: text,
        extra: { [text]: [text, { [text]: null }] },
        level: text,
        message: text.repeat(3),
        method: text,
        release: text,
        request_id: text,
        route: text,
        service: text,
        session_id: text,
        stack: stack(text),
        tags: { [text]: text },
        timestamp: text,
        user_id: text,
      });
      const notes = [{ code: text, field: text, reason: text }];
      return {
        ...event,
        raw: { ...event.raw, path: text },
        normalized: { ...event.normalized, timestamp: text },
        notes,
      };
    };
    const events = [hostileEvent(1, hostile), hostileEvent(2, `x${hostile}y`)];
    const { terminal, exitCode } = browse(createArrayReader({ issues: [sampleIssue(1, { count: 2 })], events }), {
      ...NO_COLOUR,
      columns: 120,
      rows: 30,
    });
    await toEvent(terminal);
    const walk = async (keys: string, seen: string | RegExp): Promise<void> => {
      terminal.type(keys);
      await terminal.see(seen);
      for (let half = 0; half < 8; half += 1) {
        terminal.type(HALF_DOWN);
        await terminal.settled();
      }
    };
    await walk('2', / calls?, /);
    await walk('g Z', 'Notes');
    await walk('3', 'Same request');
    await walk('4', ' equal');
    await walk('ZG', 'Equal: ');
    terminal.type('d');
    await terminal.see('Compare with');
    terminal.type('\u001b');
    terminal.type(`1/\u001b[200~${hostile}\u001b[201~${ENTER}`);
    await terminal.see('Not found: ');
    for (const pane of ['1', '2', '3', '4']) {
      terminal.type(`${pane}/red${ENTER}`);
      await terminal.see(/red \d/);
      terminal.type(`\u000e${PAGE_DOWN}`);
      await terminal.settled();
    }
    terminal.type('2gjjje');
    await terminal.settled();
    terminal.type('q');
    expect(await exitCode).toBe(0);
    await terminal.settled();
    const written = terminal.written();
    const rest = written.replace(OURS, '');
    const at = rest.search(OBEYED);
    expect(at < 0 ? '' : JSON.stringify(rest.slice(Math.max(0, at - 60), at + 60))).toBe('');
    expect(written).not.toMatch(/\u001b\[[0-9;]*3[0-9]m/);
  });
});
