import type { Line } from './format/line.js';
import { BUILT_IN_LOOKS } from './preferences/built-in-looks.js';
import type { ColourDepth, Look, Looks, ThemeName } from './preferences/look.js';
import { nearestOf16 } from './preferences/palette.js';

/** Turns lines into text with the terminal's own styles. */
export interface Theme {
  paint(line: Line): string;
}

export interface ThemeOptions {
  /** Default `terminal`: the terminal's own 16 colours. */
  theme?: ThemeName;
  /** With 0 only bold, dim, underline and inverse tell things apart. */
  depth: ColourDepth;
  /** A person's own changes; a key that is absent stays as the theme has it. Default none. */
  looks?: Looks;
}

const RESET = '\u001b[0m';

/** The theme of a terminal. */
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

/** What a terminal is sent before text of a meaning. */
function openingsOf(builtIn: Looks, own: Looks, depth: ColourDepth): ReadonlyMap<string, string> {
  const meanings = new Map<string, Look>(Object.entries(builtIn));
  for (const [meaning, look] of Object.entries(own)) meanings.set(meaning, { ...meanings.get(meaning), ...look });
  return new Map([...meanings].map(([meaning, look]) => [meaning, openingOf(look, depth)]));
}

/** The SGR sequence of a look (ECMA-48, 8.3.117; colours beyond 7 as xterm takes them). */
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

/** Text without styles, for pipes. */
export const PLAIN_THEME: Theme = { paint: (line) => line.map(({ text }) => text).join('') };

/** Whether an environment allows colours: https://no-color.org, any value but the empty one forbids them. */
export function allowsColour(env: NodeJS.ProcessEnv): boolean {
  return (env['NO_COLOR'] ?? '') === '';
}
