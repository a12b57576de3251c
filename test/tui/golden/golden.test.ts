import { DETAIL_WALKS } from './detail-walks.js';
import { goldenNames, readGolden, writeGolden } from './golden-files.js';
import { goldenScreen } from './golden-screen.js';
import { LIST_WALKS } from './list-walks.js';
import { LOOKS, type LookName } from './look.js';
import type { Step } from './planned-walk.js';
import { startWalk, type Walk } from './walk.js';

/**
 * Compares the screens of the shop with the golden files in `test/fixtures/tui/screens`. With `FAULTLINE_WRITE_GOLDEN=1` the
 * files are written instead: review the changes, and remove files that no walk reaches.
 */
const IS_WRITING = process.env['FAULTLINE_WRITE_GOLDEN'] === '1';
/** C0 and C1 control characters, direction marks and characters without width. */
const UNSAFE = /[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u200b\u200e\u200f\u2028-\u202e\u2066-\u2069\ufeff]/;

const goldenOf = (step: Step, look: LookName): string => `${step.golden}.${look}`;
const hasGolden = ({ golden }: Step): boolean => golden !== undefined;

const walks = [...LIST_WALKS, ...DETAIL_WALKS].flatMap(({ over, looks, steps }) =>
  looks.map((look) => ({ over, look, steps })),
);
const planned = walks.flatMap(({ look, steps }) => steps.filter(hasGolden).map((step) => goldenOf(step, look)));

let walk: Walk | undefined;

afterEach(async () => {
  await walk?.leave();
  walk = undefined;
});

describe('the golden screens', () => {
  it('have exactly one file each', () => {
    expect(new Set(planned).size).toBe(planned.length);
    if (!IS_WRITING) expect(goldenNames().sort()).toEqual(planned.toSorted());
  });

  it.each(walks.map(({ over, look, steps }) => ({ over, look, steps, first: steps.find(hasGolden)?.golden ?? '' })))(
    'match, from $first on, for $look',
    async ({ over, look, steps }) => {
      walk = startWalk(over(), LOOKS[look]);
      const screens: Record<string, string> = {};
      for (const step of steps) {
        step.happens?.(walk.reader);
        if (step.keys !== undefined) walk.terminal.type(step.keys);
        await walk.settled(step.see);
        if (hasGolden(step)) screens[goldenOf(step, look)] = goldenScreen(walk.terminal, LOOKS[look].name);
      }
      const names = Object.keys(screens);
      expect(names.filter((name) => UNSAFE.test(screens[name] ?? ''))).toEqual([]);
      if (IS_WRITING) for (const name of names) writeGolden(name, screens[name] ?? '');
      const others = names.filter((name) => screens[name] !== readGolden(name));
      if (others.length === 0) return;
      throw new Error(others.map((name) => `${name} was\n${readGolden(name)}\nand is\n${screens[name]}`).join('\n'));
    },
  );
});
