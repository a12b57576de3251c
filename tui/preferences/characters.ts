/** The signs that the terminal draws, one cell each. */
export interface Signs {
  /** Before the selected row, and between the parts of a path. */
  readonly selection: string;
  /** Before a row that was chosen for an action. */
  readonly mark: string;
  /** Where something was left out. */
  readonly ellipsis: string;
  readonly up: string;
  readonly down: string;
  readonly left: string;
  readonly right: string;
  /** Resolved, done. */
  readonly check: string;
  /** Between things of one row. */
  readonly dot: string;
  /** Before what can be unfolded. */
  readonly folded: string;
  /** Before what can be folded. */
  readonly unfolded: string;
  /** From nearly nothing to full, for sparklines; zero is a blank. */
  readonly levels: readonly string[];
  /** One whole cell of a bar. */
  readonly bar: string;
  readonly horizontal: string;
  readonly vertical: string;
  readonly topLeft: string;
  readonly topRight: string;
  readonly bottomLeft: string;
  readonly bottomRight: string;
  readonly teeLeft: string;
  readonly teeRight: string;
  readonly teeDown: string;
  readonly teeUp: string;
  readonly cross: string;
}

/** For terminals with Unicode. */
export const UNICODE_SIGNS: Signs = {
  selection: '›',
  mark: '•',
  ellipsis: '…',
  up: '↑',
  down: '↓',
  left: '←',
  right: '→',
  check: '✓',
  dot: '·',
  folded: '▸',
  unfolded: '▾',
  levels: ['▁', '▂', '▃', '▄', '▅', '▆', '▇', '█'],
  bar: '█',
  horizontal: '─',
  vertical: '│',
  topLeft: '┌',
  topRight: '┐',
  bottomLeft: '└',
  bottomRight: '┘',
  teeLeft: '├',
  teeRight: '┤',
  teeDown: '┬',
  teeUp: '┴',
  cross: '┼',
};

/** For all others: the same signs of the same widths in ASCII. */
export const ASCII_SIGNS: Signs = {
  selection: '>',
  mark: '*',
  ellipsis: '~',
  up: '^',
  down: 'v',
  left: '<',
  right: '>',
  check: 'x',
  dot: '.',
  folded: '+',
  unfolded: '-',
  levels: ['.', ':', '-', '=', '+', '*', '%', '#'],
  bar: '#',
  horizontal: '-',
  vertical: '|',
  topLeft: '+',
  topRight: '+',
  bottomLeft: '+',
  bottomRight: '+',
  teeLeft: '+',
  teeRight: '+',
  teeDown: '+',
  teeUp: '+',
  cross: '+',
};

/** Which signs a terminal can show: as a person chose, else by the character set of its environment (POSIX, 8.2). */
export function signsFor(characters: 'auto' | 'unicode' | 'ascii', env: NodeJS.ProcessEnv): Signs {
  if (characters === 'auto') return hasUnicode(env) ? UNICODE_SIGNS : ASCII_SIGNS;
  return characters === 'unicode' ? UNICODE_SIGNS : ASCII_SIGNS;
}

/** The first of the three that is set and not empty counts. Where none is, as in a bare container, nothing speaks against the terminals of today. */
function hasUnicode(env: NodeJS.ProcessEnv): boolean {
  const locale = env['LC_ALL'] || env['LC_CTYPE'] || env['LANG'] || '';
  return locale === '' || /utf-?8/i.test(locale.slice(0, 100));
}
