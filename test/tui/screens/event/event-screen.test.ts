import type { TestTerminal } from '../../../helpers/terminal.js';
import { type ArrayReader, createArrayReader, sampleEvent, sampleIssue } from '../../array-reader.js';
import { browse, endTerminals } from '../../running-terminal.js';

const ENTER = '\r';

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
  it('has the tabs below its title, and below them all fields of the event', async () => {
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
      ['2', '2[Stack'],
      ['3', '3[Related'],
      ['4', '4[Compare]'],
      ['1', '1[Detail]'],
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
    await terminal.see(/message 1\/\d/);
    terminal.type('n');
    await terminal.see('Message      quantity 12');
    terminal.type('n');
    await terminal.see('Last event.');
  });
});
