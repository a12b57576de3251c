import type { Line } from '../text/line.js';
import { BUILT_IN_LOOKS, type ColourDepth, type Look, type Looks, type ThemeName } from './looks.js';

/** Converts lines to text with escape sequences for styles. */
export interface Theme {
  paint(line: Line): string;
}

export interface ThemeOptions {
  /** Default `terminal`: the terminal's own 16 colours. */
  theme?: ThemeName;
  /** With 0 only bold, dim, underline and inverse are used. */
  depth: ColourDepth;
  /** Overrides of the theme; default: none. */
  looks?: Looks;
}

const RESET = '\u001b[0m';

/** Creates a theme. */
export function createTheme({ theme = 'terminal', depth, looks = {} }: ThemeOptions): Theme {
  const openings = openingsOf(BUILT_IN_LOOKS[theme][depth === 256 ? 256 : 16], looks, depth);
  return {
    paint(line) {
      let painted = '';
      let open = '';
      for (const { text, meaning } of line) {
        const opening = openings.get(meaning) ?? '';
        if (opening !== open && text !== '') {
          painted += (open === '' ? '' : RESET) + opening;
          open = opening;
        }
        painted += text;
      }
      return open === '' ? painted : painted + RESET;
    },
  };
}

/** The escape sequence of each meaning. */
function openingsOf(builtIn: Looks, overrides: Looks, depth: ColourDepth): ReadonlyMap<string, string> {
  const meanings = new Map<string, Look>(Object.entries(builtIn));
  for (const [meaning, look] of Object.entries(overrides)) meanings.set(meaning, { ...meanings.get(meaning), ...look });
  return new Map([...meanings].map(([meaning, look]) => [meaning, openingOf(look, depth)]));
}

/** The SGR sequence of a look (ECMA-48, 8.3.117; colours above 7 as in xterm). */
function openingOf({ colour, bold, dim, underline, inverse }: Look, depth: ColourDepth): string {
  const codes: number[] = [];
  if (bold === true) codes.push(1);
  if (dim === true) codes.push(2);
  if (underline === true) codes.push(4);
  if (inverse === true) codes.push(7);
  if (colour !== undefined && depth > 0) codes.push(...coloured(depth === 256 ? colour : nearestOf16(colour)));
  return codes.length === 0 ? '' : `\u001b[${codes.join(';')}m`;
}

function coloured(colour: number): number[] {
  if (colour < 8) return [30 + colour];
  return colour < 16 ? [90 + colour - 8] : [38, 5, colour];
}

/** Without styles, for pipes. */
export const PLAIN_THEME: Theme = { paint: (line) => line.map(({ text }) => text).join('') };

/** Whether an environment allows colours: any non-empty `NO_COLOR` forbids them (https://no-color.org). */
export function allowsColour(env: NodeJS.ProcessEnv): boolean {
  return (env['NO_COLOR'] ?? '') === '';
}

/** Red, green and blue, 0 to 255 each. */
export type Rgb = readonly [number, number, number];

/** The defaults of xterm. */
const FIRST_16: readonly Rgb[] = [
  [0, 0, 0],
  [205, 0, 0],
  [0, 205, 0],
  [205, 205, 0],
  [0, 0, 238],
  [205, 0, 205],
  [0, 205, 205],
  [229, 229, 229],
  [127, 127, 127],
  [255, 0, 0],
  [0, 255, 0],
  [255, 255, 0],
  [92, 92, 255],
  [255, 0, 255],
  [0, 255, 255],
  [255, 255, 255],
];
const CUBE_STEPS = [0, 95, 135, 175, 215, 255];
const CUBE_BEGIN = 16;
const GREYS_BEGIN = 232;

/** The RGB value of one of the 256 colours of xterm. */
export function rgbOf(colour: number): Rgb {
  const basic = FIRST_16[colour];
  if (basic !== undefined) return basic;
  if (colour >= GREYS_BEGIN) {
    const grey = 8 + 10 * (colour - GREYS_BEGIN);
    return [grey, grey, grey];
  }
  const cell = colour - CUBE_BEGIN;
  const step = (index: number): number => CUBE_STEPS[index % CUBE_STEPS.length] ?? 0;
  return [step(Math.floor(cell / 36)), step(Math.floor(cell / 6)), step(cell)];
}

/** The nearest of the first 16 colours. */
function nearestOf16(colour: number): number {
  if (colour < CUBE_BEGIN) return colour;
  const wanted = rgbOf(colour);
  const distances = FIRST_16.map((own) =>
    own.reduce((sum, part, index) => sum + (part - (wanted[index] ?? 0)) ** 2, 0),
  );
  return distances.indexOf(Math.min(...distances));
}

/** Values of `TERM` without colours. */
const COLOURLESS = /^(?:dumb|unknown|vt\d+.*|.*-mono|.*-m)$/;

/**
 * The colour depth of an output; 0 unless it is a terminal. `auto`, the default, reads the environment, where `NO_COLOR`
 * wins. A value chosen in the preferences overrides the environment (https://no-color.org).
 */
export function colourDepth(
  env: NodeJS.ProcessEnv,
  isTTY: boolean,
  chosen: 'auto' | ColourDepth = 'auto',
): ColourDepth {
  if (!isTTY) return 0;
  if (chosen !== 'auto') return chosen;
  if (!allowsColour(env)) return 0;
  const term = (env['TERM'] ?? '').slice(0, 100);
  if (/^(?:truecolor|24bit)$/i.test(env['COLORTERM'] ?? '') || /256color|-direct/.test(term)) return 256;
  return COLOURLESS.test(term) ? 0 : 16;
}
