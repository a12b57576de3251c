import { waitFor } from '../helpers/wait-for.js';
import type { TerminalProcess } from './terminal-process.js';

/** The results of typing keys at a steady rate. */
export interface SteadyKeys {
  /** Milliseconds from each key to the complete frame with the moved selection. */
  readonly latenciesMs: readonly number[];
  /** Frames per second with a moved selection. */
  readonly framesPerSecond: number;
}

/** Rows that the selection moves before it turns. */
const REACH = 12;
const LAST_FRAME_MS = 10_000;

/** Moves the selection down and up within the window. Throws if 5 % of the keys or more do not move the selection. */
export async function typeSteadily(terminal: TerminalProcess, perSecond: number, seconds: number): Promise<SteadyKeys> {
  // Without marks of synchronized updates a frame may be incomplete.
  const selectedNow = (): number => {
    const selected = terminal.frames.at(-1)?.selected ?? -1;
    if (selected < 0) throw new Error(`no row is selected:\n${terminal.rows().join('\n')}`);
    return selected;
  };
  let expected = await waitFor('a selected row', selectedNow, LAST_FRAME_MS);
  let shown = expected;
  let changes = 0;
  let lastChangeMs = 0;
  const pending: { selected: number; typedMs: number }[] = [];
  const latenciesMs: number[] = [];
  const stop = terminal.onFrame(({ selected, atMs }) => {
    if (selected !== shown) {
      changes += 1;
      lastChangeMs = atMs;
    }
    shown = selected;
    const reached = pending.findIndex((key) => key.selected === selected);
    for (const { typedMs } of pending.splice(0, reached + 1)) latenciesMs.push(atMs - typedMs);
  });
  const began = performance.now();
  const keys = perSecond * seconds;
  for (let typed = 0; typed < keys; typed += 1) {
    const isDown = typed % (2 * REACH) < REACH;
    expected += isDown ? 1 : -1;
    pending.push({ selected: expected, typedMs: performance.now() });
    terminal.type(isDown ? 'j' : 'k');
    await new Promise((resolve) => setTimeout(resolve, began + ((typed + 1) * 1000) / perSecond - performance.now()));
  }
  await waitFor('the last frame', () => pending.length === 0, LAST_FRAME_MS).catch(() => undefined);
  stop();
  if (latenciesMs.length < keys * 0.95) {
    throw new Error(`${keys - latenciesMs.length} of ${keys} keys moved nothing:\n${terminal.rows().join('\n')}`);
  }
  return { latenciesMs, framesPerSecond: (changes * 1000) / (lastChangeMs - began) };
}
