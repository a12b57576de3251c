import fc from 'fast-check';
import { resize } from '../../../../tui/app/update.js';
import type { TerminalState } from '../../../../tui/state/terminal-state.js';
import { sampleEvent } from '../../array-reader.js';
import { typeKeys, windowRows } from '../../type-keys.js';
import { atEvent } from './at-event.js';

/** The rows of the detail view. */
const textOf = (state: TerminalState): string[] => windowRows(state).slice(2, -1);

async function atMessage(message: string, size: { columns: number; rows: number }): Promise<TerminalState> {
  return (await atEvent([sampleEvent(1, 1, { message })], size)).state;
}

/** The first visible row at each position from here to the end that the key leads to. */
function firstRows(state: TerminalState, key: string): string[] {
  const first: string[] = [];
  let now = state;
  let shown = textOf(now);
  for (let before = ''; shown.join() !== before; shown = textOf(now)) {
    first.push(shown[0] ?? '');
    before = shown.join();
    now = typeKeys(now, key);
  }
  return first;
}

describe('a detail view that is longer than its window', () => {
  it('shows every row once, from either end, for any message', async () => {
    const line = fc.oneof(fc.string({ unit: 'binary', maxLength: 60 }), fc.constantFrom('', '漢'.repeat(50)));
    await fc.assert(
      fc.asyncProperty(fc.array(line, { minLength: 1, maxLength: 4 }), async (lines) => {
        const message = lines.join('\n');
        const high = textOf(await atMessage(message, { columns: 60, rows: 400 }));
        const whole = high.slice(0, high.findLastIndex((row) => row !== '') + 1);
        const low = await atMessage(message, { columns: 60, rows: 60 });
        const down = firstRows(low, 'j');
        // The cursor is on the last row only there.
        expect(down).toEqual(whole.slice(0, down.length));
        expect(textOf(typeKeys(low, 'G')).slice(0, -1)).toEqual(whole.slice(down.length - 1, -1));
        expect(firstRows(typeKeys(low, 'G'), 'k').reverse()).toEqual(down);
      }),
    );
  });

  it('stays at the same words if the width changes', async () => {
    const message = `${'a'.repeat(1_000)}HERE${'b'.repeat(1_000)}`;
    let state = await atMessage(message, { columns: 80, rows: 24 });
    while (!textOf(state)[0]?.includes('HERE')) state = typeKeys(state, 'j');
    expect(textOf(resize(state, { columns: 190, rows: 24 }))[0]).toContain('HERE');
  });
});
