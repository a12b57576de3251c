import { ISSUE_SIGNS } from '../format/issue/issue-columns.js';
import type { Sheet } from '../state/overlay.js';
import { readOnlyReason } from '../state/read-only.js';
import type { TerminalState } from '../state/terminal-state.js';
import { bindingsAt, type Command, type Keymap, type KeyScope, keyLabel } from '../terminal/keymap.js';
import { type Line, lineCells, span, words, wrapLine } from '../text/line.js';
import { fitToCells, literal } from '../text/visible.js';

/** Titles, and rows of commands with what they do. */
type HelpRows = readonly (string | readonly [commands: readonly Command[], text: string])[];

const LEFT: HelpRows = [
  'Move',
  [['up', 'down'], 'up, down'],
  [['page_up', 'page_down'], 'page'],
  [['half_up', 'half_down'], 'half a page'],
  [['first', 'last'], 'top (reorders), end'],
  [['open'], 'open'],
  [['back'], 'back, unmark, clear filter'],
  [['pane_next', 'pane_1', 'pane_6'], 'tabs'],
  [['next', 'previous'], 'next, previous (when open)'],
  'Look',
  [['preview'], 'preview on, off'],
  [['fold', 'unfold_all'], 'fold one, all'],
  [['range_narrower', 'range_wider', 'range_earlier', 'range_later', 'range_all'], 'time window'],
  [['time_zone'], 'UTC or local time'],
  'Filter',
  [['filter'], 'filter; in an event: find'],
  [['find_next', 'find_previous'], 'next, previous match'],
  [['include', 'exclude'], 'only, without a value'],
  [['search_events'], 'search all events'],
  [['views'], 'saved filters'],
];

const RIGHT: HelpRows = [
  'Triage',
  [['mark'], 'mark'],
  [['mark_range', 'mark_all'], 'mark a range, all'],
  [['resolve', 'reopen'], 'resolve, reopen'],
  [['ignore'], 'ignore for a while'],
  [['assign', 'comment'], 'assign, comment'],
  [['merge', 'split'], 'merge marked, split'],
  [['undo'], 'undo'],
  'Other',
  [['sort', 'since', 'releases'], 'sort, news, releases'],
  [['sources'], 'status: sources, rejected'],
  [['copy', 'export'], 'copy, export'],
  [['edit'], 'open in the editor'],
  [['palette'], 'all commands'],
  [['help', 'quit'], 'this help, quit'],
];

const SIGNS: readonly (readonly [signs: readonly (keyof typeof ISSUE_SIGNS)[], text: string])[] = [
  [['regressed', 'spiking'], 'came back, spiking'],
  [['new'], 'new'],
  [['ignored', 'resolved'], 'ignored, resolved'],
  [['stale'], 'stale: source lost'],
];

const QUERIES: readonly (readonly [query: string, text: string])[] = [
  ['level:error service:api', 'both must match; OR, NOT and ( ) work too'],
  ['timeout  "timed out"', 'text in title, error name or message'],
  ['service:led*  -release:v1', 'begins with; without'],
  ['level:>=warn', 'crit, error and warn; warning and fatal are known'],
  ['is:new  is:[regressed, spiking]', ''],
  ['assignee:anna  is:unassigned  mine', ''],
  ['count:>100  users:>10  first_seen:<24h  last_seen:2026-11-20..2026-11-22', ''],
  ['release:>=1.4', ''],
  ['tags.region:eu-west  extra.pool.waiting:>40  user_id:u-718', '(events)'],
];

/** Other keys of the same commands work as well. */
const UNLISTED_KEYS: ReadonlySet<string> = new Set(['home', 'end', 'backspace', '=', 'ctrl-c']);
const MARGIN = 2;
const RIGHT_AT = 46;
const LEFT_KEYS = 15;
const RIGHT_KEYS = 9;
const QUERY_CELLS = 28;
/** Below it, the right groups follow the left ones. */
const TWO_COLUMNS = 80;

/** Opens the help: all keys by task, those without effect on this screen muted, and why actions are not offered. */
export function openHelp(state: TerminalState, scope: KeyScope, canAct: boolean): Sheet<TerminalState> {
  const { keymap, size } = state;
  const active = new Set(bindingsAt(keymap, scope, canAct).map(({ command }) => command));
  const left = rowLines(LEFT, LEFT_KEYS, keymap, active);
  const right = [...rowLines(RIGHT, RIGHT_KEYS, keymap, active), ...signLines()];
  const note = canAct
    ? words('Keys that do nothing here are grey.', 'muted')
    : span(literal(readOnlyReason(state)), 'warning');
  const lines = size.columns < TWO_COLUMNS ? [...left, ...right] : besides(left, right);
  return {
    kind: 'sheet',
    title: `Help: ${scope.screen}`,
    lines: [...lines, [], ...wrapLine([words(' '.repeat(MARGIN)), note], size.columns, MARGIN)],
    top: 0,
    actions: [{ key: '/', label: 'query language', run: (now) => ({ ...now, overlay: queryHelp() }) }],
  };
}

function queryHelp(): Sheet<TerminalState> {
  const lines = QUERIES.map(
    ([query, text]): Line => [
      words(' '.repeat(MARGIN)),
      words(text === '' ? query : query.padEnd(QUERY_CELLS), 'label'),
      words(text === '' ? '' : ` ${text}`),
    ],
  );
  return { kind: 'sheet', title: 'Help: query language', lines: [[], ...lines], top: 0 };
}

function rowLines(rows: HelpRows, keyCells: number, keymap: Keymap, active: ReadonlySet<Command>): Line[] {
  return rows.flatMap((row) => {
    if (typeof row === 'string') return [headingLine(row)];
    const [commands, text] = row;
    const keys = keysOf(commands, keymap);
    const isActive = commands.some((command) => active.has(command));
    return keys === '' ? [] : [helpLine(keys, keyCells, text, isActive)];
  });
}

function signLines(): Line[] {
  const rows = SIGNS.map(([signs, text]) =>
    helpLine(signs.map((sign) => ISSUE_SIGNS[sign]).join('  '), RIGHT_KEYS, text, true),
  );
  return [headingLine('Signs'), ...rows];
}

function headingLine(title: string): Line {
  return [words(` ${title}`, 'strong')];
}

function helpLine(keys: string, keyCells: number, text: string, isActive: boolean): Line {
  return [
    words(' '.repeat(MARGIN)),
    span(fitToCells(`${keys} `, Math.max(keyCells, keys.length + 1)), isActive ? 'label' : 'muted'),
    words(text, isActive ? undefined : 'muted'),
  ];
}

/** The keys of commands: first the first one of each, then the second ones. */
function keysOf(commands: readonly Command[], keymap: Keymap): string {
  if (commands[1] === 'pane_1') return `${keysOf(['pane_next'], keymap)}  1-6`;
  const lists = commands.map((command) => {
    const { keys = [] } = keymap.find((one) => one.command === command) ?? {};
    return keys.filter((key) => !UNLISTED_KEYS.has(key)).map(keyLabel);
  });
  const most = Math.max(...lists.map(({ length }) => length));
  const between = most === 1 && commands.length === 2 && lists.flat().every(({ length }) => length === 1) ? '  ' : ' ';
  const ranks = Array.from({ length: most }, (_, rank) =>
    lists.flatMap((keys) => keys.slice(rank, rank + 1)).join(between),
  );
  return ranks.join(commands.length > 1 ? '  ' : ' ');
}

function besides(left: readonly Line[], right: readonly Line[]): Line[] {
  return Array.from({ length: Math.max(left.length, right.length) }, (_, row) => {
    const line = left[row] ?? [];
    const gap = words(' '.repeat(Math.max(1, RIGHT_AT - MARGIN - lineCells(line))));
    return [...line, gap, ...(right[row] ?? [])];
  });
}
