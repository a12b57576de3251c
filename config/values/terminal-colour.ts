import { closest } from './suggest.js';
import { ValueError } from './value-error.js';

/** The names of the terminal's own 16 colours; the place of a name is its number. */
const COLOUR_NAMES: readonly string[] = [
  'black',
  'red',
  'green',
  'yellow',
  'blue',
  'magenta',
  'cyan',
  'white',
  'bright_black',
  'bright_red',
  'bright_green',
  'bright_yellow',
  'bright_blue',
  'bright_magenta',
  'bright_cyan',
  'bright_white',
];

/** The number of a terminal colour, 0 to 255, from its number or, below 16, its name; throws a ValueError when the text is neither. */
export function parseTerminalColour(text: string): number {
  const named = COLOUR_NAMES.indexOf(text);
  if (named >= 0) return named;
  if (!/^\d{1,9}$/.test(text)) throw new ValueError('it is not a terminal colour', closest(text, COLOUR_NAMES));
  const number = Number(text);
  if (number > 255) throw new ValueError('colours end at 255');
  return number;
}
