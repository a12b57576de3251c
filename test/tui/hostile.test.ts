import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Fault } from '../../core/event/fault.js';
import { runBrowse } from '../../tui/commands/browse.js';
import { removeTemporaryFolders, temporaryFolder } from '../helpers/temporary-folder.js';
import { createTestTerminal, type TestTerminal } from '../helpers/terminal.js';
import { waitFor } from '../helpers/wait-for.js';
import { createArrayReader } from './array-reader.js';
import { createHostileReader } from './hostile-reader.js';
import { FOREIGN_STYLE, HOSTILE_TEXTS, hostileText } from './hostile-text.js';
import { browse, endTerminals } from './running-terminal.js';
import { createTerminalBytes } from './terminal-bytes.js';
import { DOWN, ENTER, ESCAPE, SHIFT_TAB, UP } from './type-keys.js';

const TAB = '\t';
const PAGE_DOWN = '\u001b[6~';
const CTRL_U = '\u0015';

/** Control, bidirectional and other format characters, characters without width, and lone surrogates. */
const HIDDEN = /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]/u;
/** Letters of the sender stay. */
const ASCII = /^(?:[\x20-\x7e]|漢|字|\u0301)*$/;
const COLOUR = /(^|;)(3\d|4\d|9\d|10\d)(;|$)/;

/** Markdown of many issues is longer than the limit of a terminal clipboard. */
const COPIED_OR_TOO_LONG = /copied |not on the clipboard: it is too long/;

/** Keys that reach every screen, and texts of ours that they bring; default: whatever changes the screen. */
const WALK: readonly (readonly [keys: string, see?: string | RegExp])[] = [
  // The list of issues: rows, groups, menus, prompts with history and completion, overlays.
  [DOWN, ' 2/20'],
  ['G', ' 20/20'],
  ['g', ' 1/20'],
  ['s', 'needs attention'],
  ['v', 'LEVEL▾'],
  ['sl', 'SEEN▾'],
  ['*', 'Show only'],
  [DOWN],
  [`${ESCAPE}!`, 'Hide'],
  [`${ESCAPE}v`, 'Saved filters'],
  ['1', 'was saved by'],
  ['vd', 'Delete a saved filter'],
  ['1', 'Deleted'],
  [`/${UP}`, 'unknown field'],
  [UP],
  [`${ESCAPE}${ESCAPE}`, '/ filter'],
  [`/service:${TAB}`, / Tab {2}\S/],
  [TAB + SHIFT_TAB + SHIFT_TAB],
  [`${CTRL_U}\u001b[200~${hostileText(0)}\u001b[201~`],
  [`${CTRL_U}${ESCAPE}:\u001b[200~${hostileText(0)}\u001b[201~`, 'no match'],
  [`${ESCAPE}   `, '3 marked'],
  ['m', 'Merge 3 issues'],
  [`${ESCAPE}${ESCAPE}g`, ' 1/20'],
  ['r', 'Resolve: '],
  [`v${TAB}`, 'release: '],
  [`${ESCAPE}${ESCAPE}a${CTRL_U}${TAB}${TAB}`, 'Assign: '],
  [ENTER, /^ Assigned to/],
  [`csaid${ENTER}`, /^ ‹U\+009D›52;c;/],
  ['u', 'Undone.'],
  ['M', 'Split: '],
  [`${ESCAPE}i`, 'Ignore: '],
  [`${ESCAPE}y`, '── Copy'],
  ['t', 'copied '],
  ['y', '── Copy'],
  ['m', COPIED_OR_TOO_LONG],
  ['x', 'export issues to:'],
  [`${ESCAPE}W`, 'FIRST'],
  [`${ESCAPE}S`, 'Status'],
  [`${ESCAPE}:sugg\r`, /^── Suggestions/],
  [ENTER, 'a accept'],
  ['a', 'y yes'],
  ['y', 'Accepted. '],
  ['?', 'unmark'],
  [`${ESCAPE}t`, 'Times are '],
  // Events of all issues.
  ['fservice:', / Tab {2}\S/],
  [TAB],
  [`${CTRL_U}${ENTER}`, ' 1/12'],
  ['G', ' 12/12'],
  ['*', 'Show only'],
  [`${ESCAPE}${ENTER}`, 'Event 019a3c5e'],
  [ESCAPE, ' 12/12'],
  // One issue and its panes.
  [ESCAPE, ' 1/20'],
  [ENTER, ' 1/12'],
  ['G', ' 12/12'],
  ['g+', 'Only '],
  [`${ESCAPE}*`, 'Show only'],
  ['x', 'Filter: '],
  [`${ESCAPE}2`, '2[Facets]'],
  [PAGE_DOWN],
  ['3', '3[Why]'],
  ['G', 'end'],
  ['4', '4[History'],
  ['G', /(\d+)\/\1$/],
  ['5', '5[Related'],
  [DOWN, / 2\/\d+$/],
  ['M', 'Split: '],
  [`${ESCAPE}1`, '1[Events'],
  // One event and its panes.
  [ENTER, '1[Detail]'],
  [PAGE_DOWN],
  [PAGE_DOWN],
  ['G', '› Back to Issue'],
  ['gz', 'Fold which section?'],
  [`${ESCAPE}Z`],
  [`/x${ENTER}`],
  ['\u000e'],
  ['2', '2[Stack'],
  ['G'],
  ['Z'],
  ['*', 'Show only'],
  [`${ESCAPE}3`, '3[Related'],
  ['4', '4[Compare]'],
  ['Z'],
  ['G'],
  ['d', 'Compare with'],
  [`${DOWN}${ENTER}`, 'chosen event'],
  ['n1', '1[Detail]'],
  ['e', 'options.env'],
  ['r', 'Resolve: '],
  ['r', 'Resolved '],
  [`${ESCAPE}ym`, COPIED_OR_TOO_LONG],
];

let home = '';

beforeAll(async () => {
  home = await temporaryFolder();
  // Queries with an unknown field, so that they stay on the screen with their error.
  const texts = Array.from({ length: HOSTILE_TEXTS }, (_, number) => `nosuch:${hostileText(number)}`);
  const source = { tab: 'open', sort: 'last_seen' };
  await mkdir(join(home, 'faultline'));
  await writeFile(
    join(home, 'faultline/terminal.json'),
    JSON.stringify({
      queries: texts,
      views: texts.map((text) => ({ name: text, query: text, ...source })),
      places: { other: { query: texts[0], ...source, selected_issue_id: texts[1] } },
    }),
  );
});

afterEach(endTerminals);
afterAll(removeTemporaryFolders);

/** Returns a check: everything written is ours, and each row shows exactly the intended text. */
function createByteCheck(terminal: TestTerminal, hasColour: boolean): () => Promise<void> {
  const bytes = createTerminalBytes(terminal.output.rows);
  return async () => {
    let shown: readonly string[] = [];
    let text = '';
    await waitFor('the screen to show what was written', async () => {
      shown = await terminal.settled();
      text += bytes.read(terminal.written());
      return shown.join('\n') === bytes.rows().join('\n');
    }).catch(() => undefined);
    expect(shown).toEqual(bytes.rows());
    expect(HIDDEN.exec(text)).toBeNull();
    expect(bytes.styles).not.toContain(FOREIGN_STYLE);
    expect([...bytes.styles].some((style) => COLOUR.test(style))).toBe(hasColour);
    expect(terminal.output.screen.buffer.active.baseY).toBe(0);
  };
}

/** The environment of a terminal; its saved state and copies are written below `home`. */
const environment = (isColourful: boolean): NodeJS.ProcessEnv => ({
  TERM: 'xterm-256color',
  HOME: home,
  XDG_STATE_HOME: home,
  XDG_RUNTIME_DIR: home,
  USER: hostileText(20),
  ...(!isColourful && { NO_COLOR: '1' }),
});

describe('external text in every field, on every screen', () => {
  const windows = [
    { columns: 80, rows: 24, hasColour: false },
    { columns: 160, rows: 50, hasColour: true },
  ];
  it.each(windows)('is shown and never interpreted at $columns x $rows, colours: $hasColour', async (window) => {
    const { columns, rows, hasColour } = window;
    const reader = createHostileReader();
    const env = environment(hasColour);
    const { terminal } = browse(reader, {
      columns,
      rows,
      env,
      rememberAs: `${columns} ${hasColour}`,
      pollIntervalMs: 200,
    });
    const expectOwn = createByteCheck(terminal, hasColour);
    await terminal.see(' 1/20');
    for (const [keys, see] of WALK) {
      const before = terminal.rows().join();
      terminal.type(keys);
      if (see === undefined) await terminal.seeRows(`${keys} to change the screen`, (rows) => rows.join() !== before);
      else await terminal.see(see);
      await expectOwn();
    }
    reader.fault = new Fault('COLLECTOR_UNREACHABLE', hostileText(1), { retryable: true });
    await terminal.see('connection lost');
    await expectOwn();
  });

  it('is shown and never interpreted in an empty store, and if no collector responds', async () => {
    const reader = createHostileReader();
    reader.issues = [];
    const { terminal } = browse(reader, { env: environment(true) });
    const expectOwn = createByteCheck(terminal, true);
    await terminal.see('Faultline listens on this machine:');
    await expectOwn();

    const lost = createArrayReader();
    lost.fault = new Fault('COLLECTOR_UNREACHABLE', hostileText(0), { retryable: true });
    const { terminal: waiting } = browse(lost, { env: environment(false) });
    const expectOwnWaiting = createByteCheck(waiting, false);
    await waiting.see('not connected');
    await expectOwnWaiting();
  });

  it('is ASCII on a terminal without Unicode', async () => {
    const env = { ...environment(true), LC_ALL: 'C' };
    const { terminal } = browse(createHostileReader(), { columns: 160, rows: 50, env });
    const expectOwn = createByteCheck(terminal, true);
    await terminal.see('p hides');
    await expectOwn();
    expect(terminal.rows().join('')).toMatch(ASCII);
    for (const [keys, see] of [
      [ENTER, '1[Events'],
      ['G', ' 12/12'],
      [ENTER, '1[Detail]'],
      ['2', '2[Stack'],
    ] as const) {
      terminal.type(keys);
      await terminal.see(see);
      await expectOwn();
      expect(terminal.rows().join('')).toMatch(ASCII);
    }
  });

  it('is neutralised in the fault that ends the terminal', async () => {
    const terminal = createTestTerminal();
    const { input: stdin, output: stdout, signals } = terminal;
    const openReader = async () => {
      throw new Fault('FOLDER_NOT_FOUND', hostileText(0));
    };
    expect(await runBrowse({ openReader, env: {}, stdin, stdout, stderr: stdout, signals })).toBe(1);
    await terminal.settled();
    const [, told = ''] = terminal.written().split('\u001b[?1049l');
    expect(HIDDEN.exec(told.replaceAll('\n', ''))).toBeNull();
  });
});
