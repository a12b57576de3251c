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
const COLOUR = /(^|;)(3\d|4\d|9\d|10\d)(;|$)/;

/** Markdown of many issues is longer than the limit of a terminal clipboard. */
const COPIED_OR_TOO_LONG = /copied |not on the clipboard: it is too long/;

/** Keys that reach every screen, and texts of ours that then are on the screen. */
const WALK: readonly (readonly [keys: string, see: string | RegExp])[] = [
  // The list of issues: rows, groups, menus, prompts with history and completion, overlays.
  [DOWN, ' 2/40'],
  [PAGE_DOWN, / (2\d|32|40)\/40/],
  ['G', ' 40/40'],
  ['g', ' 1/40'],
  ['s', 'needs attention'],
  ['v', 'by level'],
  ['sl', 'by last seen'],
  ['g', ' 1/40'],
  ['*', 'Show only'],
  [`${DOWN}${DOWN}${DOWN}`, 'Show only'],
  [ESCAPE, 'by last seen'],
  ['!', 'Hide'],
  [ESCAPE, 'by last seen'],
  ['v', 'Saved filters'],
  ['1', 'was saved by'],
  ['vd', 'Delete a saved filter'],
  ['1', 'Deleted'],
  [`/${UP}`, /^ \//],
  [ENTER, /^ \//],
  [UP, /^ \//],
  [`${ESCAPE}`, 'by last seen'],
  [`/service:${TAB}`, '█'],
  [TAB + TAB + SHIFT_TAB, '█'],
  [`${ESCAPE}${ESCAPE}`, ' 1/40'],
  [`/\u001b[200~${hostileText(0)}\u001b[201~`, '█'],
  [`${CTRL_U}${ESCAPE}`, ' 1/40'],
  [`:\u001b[200~${hostileText(0)}\u001b[201~`, 'no match'],
  [`${ESCAPE}`, ' 1/40'],
  ['   ', '3 marked'],
  ['m', 'Merge 3 issues'],
  [`${ESCAPE}${ESCAPE}g`, ' 1/40'],
  ['r', 'Resolve: '],
  [`v${TAB}`, 'release: '],
  [`${ESCAPE}${ESCAPE}`, ' 1/40'],
  [`a${CTRL_U}${TAB}${TAB}`, 'Assign: '],
  [ENTER, 'Assigned to'],
  [`csaid${ENTER}`, /^ ‹U\+009D›52;c;/],
  ['u', 'Undone.'],
  ['M', 'Split: '],
  [ESCAPE, ' 1/40'],
  ['i', 'Ignore: '],
  [ESCAPE, ' 1/40'],
  ['y', 'Copy'],
  ['t', 'copied '],
  ['ym', COPIED_OR_TOO_LONG],
  [ESCAPE, ' 1/40'],
  ['yr', COPIED_OR_TOO_LONG],
  [ESCAPE, ' 1/40'],
  ['x', 'export issues to:'],
  [ESCAPE, ' 1/40'],
  ['W', 'FIRST'],
  [ESCAPE, ' 1/40'],
  ['S', 'Status'],
  ['G', 'Status'],
  [ESCAPE, ' 1/40'],
  [':sugg\r', /^── Suggestions/],
  [ENTER, 'a accept'],
  ['G', 'a accept'],
  ['a', 'y yes'],
  ['y', 'Accepted. '],
  ['?', 'unmark'],
  [`${ESCAPE}t`, ' 1/40'],
  // Events of all issues.
  ['fservice:', / Tab {2}\S/],
  [TAB, / Tab {2}\S/],
  [`${CTRL_U}${ENTER}`, 'TIME '],
  ['G', ' 12/12'],
  ['*', 'Show only'],
  [`${DOWN}${DOWN}${DOWN}${DOWN}`, 'Show only'],
  [ESCAPE, ' 12/12'],
  [ENTER, 'Event 019a3c5e'],
  [ESCAPE, ' 12/12'],
  ['*', 'Show only'],
  ['x', /message/],
  [ESCAPE, 'by last seen'],
  // One issue and its panes.
  [ENTER, '1[Events'],
  ['G', ' 12/'],
  ['g+', 'Only '],
  [ESCAPE, ' 1/12'],
  ['*', 'Show only'],
  ['x', 'Filter: '],
  [ESCAPE, ' 1/12'],
  ['2', '2[Facets]'],
  [PAGE_DOWN, '2[Facets]'],
  ['G', '2[Facets]'],
  ['3', '3[Why]'],
  ['G', 'end'],
  ['4', '4[History'],
  [PAGE_DOWN, '4[History'],
  ['G', /(\d+)\/\1$/],
  ['5', '5[Related'],
  [DOWN, ' 2/20'],
  ['M', 'Split: '],
  [`${ESCAPE}1`, '1[Events'],
  // One event and its panes.
  ['G', ' 12/'],
  [ENTER, '1[Detail]'],
  [PAGE_DOWN, '1[Detail]'],
  [PAGE_DOWN + PAGE_DOWN, '1[Detail]'],
  ['G', 'Back to Issue'],
  ['gz', '1[Detail]'],
  ['Z', '1[Detail]'],
  [`/x${ENTER}`, '1[Detail]'],
  ['\u000e\u000e', '1[Detail]'],
  ['2', '2[Stack'],
  [ENTER, '2[Stack'],
  ['Z', '2[Stack'],
  ['G', '2[Stack'],
  ['\u000e', '2[Stack'],
  ['*', 'Show only'],
  [ESCAPE, '2[Stack'],
  ['3', '3[Related'],
  ['4', '4[Compare]'],
  ['Z', '4[Compare]'],
  ['G', '4[Compare]'],
  ['d', 'Compare with'],
  [`${DOWN}${ENTER}`, '4[Compare]'],
  ['n', '4[Compare]'],
  ['1', '1[Detail]'],
  ['N', '1[Detail]'],
  ['e', 'options.env'],
  ['r', 'Resolve: '],
  ['r', 'Resolved '],
  ['ym', COPIED_OR_TOO_LONG],
  // Escape would remove the notice, or leave the event if the notice is gone.
  ['2', '2[Stack'],
  ['1', '1[Detail]'],
  [ESCAPE, '1[Events'],
  [ESCAPE, 'by last seen'],
];

let home = '';

beforeAll(async () => {
  home = await temporaryFolder();
  const texts = Array.from({ length: HOSTILE_TEXTS }, (_, number) => hostileText(number).slice(0, 900));
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
    { columns: 80, rows: 24, hasColour: true },
    { columns: 200, rows: 60, hasColour: false },
  ];
  // A walk takes 20 s of CPU time, so all four run only if there is time for them.
  const walked = process.env['FAULTLINE_EVERY_CALL'] === '1' ? windows : windows.slice(0, 2);
  it.each(walked)('is shown and never interpreted at $columns x $rows, colours: $hasColour', async (window) => {
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
    await terminal.see(' 1/40');
    for (const [keys, see] of WALK) {
      terminal.type(keys);
      await terminal.see(see);
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
    const { terminal } = browse(createHostileReader(), { env: { ...environment(true), LC_ALL: 'C' } });
    const expectOwn = createByteCheck(terminal, true);
    for (const [keys, see] of [
      ['', ' 1/40'],
      [ENTER, '1[Events'],
      ['G', ' 12/12'],
      [ENTER, '1[Detail]'],
      ['2', '2[Stack'],
    ]) {
      terminal.type(keys ?? '');
      await terminal.see(see ?? '');
      await expectOwn();
    }
    expect(terminal.rows().join('')).toMatch(/^[\x20-\x7e]*$/);
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
