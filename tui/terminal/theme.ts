import type { Line, Meaning, SourcePlace } from '../text/line.js';

/** The style of a text. */
interface Look {
  /** 0 to 7, whose hues the user's terminal defines; absent: the default colour. */
  readonly colour?: number;
  readonly bold?: boolean;
  readonly dim?: boolean;
  readonly underline?: boolean;
  readonly inverse?: boolean;
}

/** The built-in themes. */
export type ThemeName = 'terminal' | 'high_contrast';

/** The looks of the built-in themes; a meaning without one looks like the default. */
export const LOOKS: Readonly<Record<ThemeName, Readonly<Partial<Record<Meaning, Look>>>>> = {
  /** Colours that are readable on both dark and light backgrounds; without them, meanings differ by their other styles. */
  terminal: {
    muted: { dim: true },
    strong: { bold: true },
    selected: { inverse: true },
    marked: { bold: true, colour: 5 },
    match: { bold: true, underline: true, colour: 3 },
    heading: { bold: true },
    label: { colour: 6 },
    critical: { bold: true, colour: 1 },
    error: { colour: 1 },
    warning: { colour: 3 },
    info: { colour: 4 },
    good: { colour: 2 },
    in_app: { bold: true },
    added: { bold: true, colour: 2 },
    removed: { underline: true, colour: 1 },
    bar: { colour: 6 },
    tab_selected: { bold: true, underline: true },
  },
  /** Default foreground and background only, and nothing dim. */
  high_contrast: {
    strong: { bold: true },
    selected: { inverse: true },
    marked: { bold: true },
    match: { inverse: true, bold: true },
    heading: { bold: true, underline: true },
    label: { bold: true },
    critical: { bold: true, underline: true },
    error: { bold: true },
    in_app: { bold: true },
    added: { bold: true },
    removed: { underline: true },
    tab_selected: { inverse: true, bold: true },
  },
};

/** Converts lines to text with escape sequences for styles. */
export interface Theme {
  paint(line: Line): string;
}

export interface ThemeOptions {
  /** Default `terminal`: the terminal's own 16 colours. */
  theme?: ThemeName;
  /** Returns the URI of a place, in printable ASCII; default: places are not linked. */
  linkOf?: ((place: SourcePlace) => string | undefined) | undefined;
  /** Without colours, only bold, dim, underline and inverse are used. */
  hasColours: boolean;
}

const RESET = '\u001b[0m';

/** Creates a theme. */
export function createTheme({ theme = 'terminal', hasColours, linkOf }: ThemeOptions): Theme {
  const openings: ReadonlyMap<string, string> = new Map(
    Object.entries(LOOKS[theme]).map(([meaning, look]) => [meaning, openingOf(look, hasColours)]),
  );
  return { paint: (line) => paintLine(line, openings, linkOf) };
}

function paintLine(line: Line, openings: ReadonlyMap<string, string>, linkOf: ThemeOptions['linkOf']): string {
  let painted = '';
  let open = '';
  for (const { text, meaning, place } of line) {
    const opening = openings.get(meaning) ?? '';
    if (opening !== open && text !== '') {
      if (open !== '') painted += RESET;
      painted += opening;
      open = opening;
    }
    const link = place && linkOf?.(place);
    painted += link === undefined ? text : `\u001b]8;;${link}\u001b\\${text}\u001b]8;;\u001b\\`;
  }
  return open === '' ? painted : painted + RESET;
}

/** The SGR sequence of a look (ECMA-48, 8.3.117). */
function openingOf({ colour, bold, dim, underline, inverse }: Look, hasColours: boolean): string {
  const codes: number[] = [];
  if (bold === true) codes.push(1);
  if (dim === true) codes.push(2);
  if (underline === true) codes.push(4);
  if (inverse === true) codes.push(7);
  if (colour !== undefined && hasColours) codes.push(30 + colour);
  return codes.length === 0 ? '' : `\u001b[${codes.join(';')}m`;
}

/** Without styles, for pipes. */
export const PLAIN_THEME: Theme = { paint: (line) => line.map(({ text }) => text).join('') };

/** Whether an environment allows colours: any non-empty `NO_COLOR` forbids them (https://no-color.org). */
export function allowsColour(env: NodeJS.ProcessEnv): boolean {
  return (env['NO_COLOR'] ?? '') === '';
}

/** The preference `colours`; `16` and `256` are equal, because the themes have no others than the 16. */
export type ColourChoice = 'auto' | 'none' | '16' | '256';

/** Values of `TERM` without colours. */
const COLOURLESS = /^(?:dumb|unknown|vt\d+.*|.*-mono|.*-m)$/;

/** Whether to use colours. `auto` reads the environment, where `NO_COLOR` wins (https://no-color.org); a chosen value overrides it. */
export function usesColours(env: NodeJS.ProcessEnv, chosen: ColourChoice = 'auto'): boolean {
  if (chosen !== 'auto') return chosen !== 'none';
  if (!allowsColour(env)) return false;
  const term = (env['TERM'] ?? '').slice(0, 100);
  if (/^(?:truecolor|24bit)$/i.test(env['COLORTERM'] ?? '') || /256color|-direct/.test(term)) return true;
  return !COLOURLESS.test(term);
}
