import { DETAIL_WALKS } from './detail-walks.js';
import { goldenNames, readGolden, writeGolden } from './golden-files.js';
import { LIST_WALKS } from './list-walks.js';
import { LOOKS, type LookName } from './look.js';
import type { Step } from './planned-walk.js';
import { startWalk, type Walk } from './walk.js';

/**
 * Compares the text of the shop's screens with the golden files in `test/fixtures/tui/screens`. With `FAULTLINE_WRITE_GOLDEN=1`
 * the files are written instead: review the changes, and remove files that no walk reaches.
 */
const IS_WRITING = process.env['FAULTLINE_WRITE_GOLDEN'] === '1';
/** C0 and C1 control characters, direction marks and characters without width. */
const UNSAFE = /[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u200b\u200e\u200f\u2028-\u202e\u2066-\u2069\ufeff]/;
/** Growth of `polls` without drawing after which nothing more is expected: a preview waits for a moment before it reads. */
const QUIET_POLLS = 100;

const goldenOf = (step: Step, look: LookName): string => `${step.golden}.${look}`;
const hasGolden = ({ golden }: Step): boolean => golden !== undefined;

const walks = [...LIST_WALKS, ...DETAIL_WALKS].flatMap(({ over, looks, steps }) =>
  looks.map((look) => ({ over, look, steps, first: steps.find(hasGolden)?.golden ?? '' })),
);
const planned = walks.flatMap(({ look, steps }) => steps.filter(hasGolden).map((step) => goldenOf(step, look)));

let walk: Walk | undefined;

afterEach(async () => {
  await walk?.leave();
  walk = undefined;
});

/** The screen as the text of a golden file. */
const screenText = (rows: readonly string[], look: LookName): string => [LOOKS[look].name, ...rows, ''].join('\n');

/** Returns the screen once it is as expected, or once it changes no more. */
async function finalScreen({ terminal, polls }: Walk, look: LookName, expected?: string): Promise<string> {
  let written = -1;
  let since = 0;
  const rows = await terminal.seeRows('the screen not to change any more', (shown) => {
    if (screenText(shown, look) === expected) return true;
    const now = terminal.written().length;
    if (now !== written) [written, since] = [now, polls()];
    return polls() >= since + QUIET_POLLS;
  });
  return screenText(rows, look);
}

describe('the golden screens', () => {
  it('have exactly one file each', () => {
    expect(new Set(planned).size).toBe(planned.length);
    if (!IS_WRITING) expect(goldenNames().sort()).toEqual(planned.toSorted());
  });

  it.each(walks)('match, from $first on, for $look', async ({ over, look, steps }) => {
    walk = startWalk(over(), LOOKS[look]);
    for (const step of steps) {
      step.happens?.(walk.reader);
      if (step.keys !== undefined) walk.terminal.type(step.keys);
      await walk.terminal.see(step.see);
      if (step.golden === undefined) continue;
      const name = goldenOf(step, look);
      const screen = await finalScreen(walk, look, IS_WRITING ? undefined : readGolden(name));
      expect(screen).not.toMatch(UNSAFE);
      if (IS_WRITING) writeGolden(name, screen);
      else expect(screen).toBe(readGolden(name));
    }
  });
});
