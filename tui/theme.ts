import type { Line, Meaning } from './format/line.js';

/** Turns lines into text with the terminal's own styles. */
export interface Theme {
  paint(line: Line): string;
}

/** What each meaning looks like: SGR attributes, and one of the terminal's 16 colours, which its owner chose. */
const LOOKS: Readonly<Record<Meaning, { readonly attributes: string; readonly colour: string }>> = {
  plain: { attributes: '', colour: '' },
  muted: { attributes: '2', colour: '' },
  strong: { attributes: '1', colour: '' },
  selected: { attributes: '7', colour: '' },
  heading: { attributes: '1', colour: '' },
  label: { attributes: '', colour: '36' },
  critical: { attributes: '1', colour: '31' },
  error: { attributes: '', colour: '31' },
  warning: { attributes: '', colour: '33' },
  info: { attributes: '', colour: '34' },
  good: { attributes: '', colour: '32' },
};

const RESET = '\u001b[0m';

/** The theme of a terminal; without `colour` (NO_COLOR) only bold, dim and inverse tell things apart. */
export function createTheme({ colour }: { colour: boolean }): Theme {
  const openings = new Map(
    Object.entries(LOOKS).map(([meaning, look]) => {
      const codes = [look.attributes, colour ? look.colour : ''].filter((code) => code !== '');
      return [meaning, codes.length === 0 ? '' : `\u001b[${codes.join(';')}m`];
    }),
  );
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

/** Text without styles, for pipes. */
export const PLAIN_THEME: Theme = { paint: (line) => line.map(({ text }) => text).join('') };

/** Whether an environment allows colours: https://no-color.org, any value but the empty one forbids them. */
export function allowsColour(env: NodeJS.ProcessEnv): boolean {
  return (env['NO_COLOR'] ?? '') === '';
}
