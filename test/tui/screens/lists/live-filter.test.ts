import { filterRows } from '../../../../tui/screens/lists/filter-lines.js';
import type { TerminalState } from '../../../../tui/state/terminal-state.js';
import type { Line } from '../../../../tui/text/line.js';
import { type ArrayReader, createArrayReader, sampleIssue } from '../../array-reader.js';
import {
  ENTER,
  ESCAPE,
  issuesOf,
  listed,
  overlayRows,
  promptOf,
  settle,
  started,
  typeKeys,
  UP,
} from '../../type-keys.js';

const shop = (): ArrayReader =>
  createArrayReader({
    issues: [
      sampleIssue(0, { service: 'ledger', level: 'critical' }),
      sampleIssue(1, { service: 'ledger-archive' }),
      sampleIssue(2, { level: 'warning' }),
      sampleIssue(3, { status: 'ignored' }),
      sampleIssue(4, { regressed: true, releases: ['v2.0.1'] }),
    ],
  });

/** The state once the reads of every key were answered. */
async function typed(reader: ArrayReader, text: string, from?: TerminalState): Promise<TerminalState> {
  const open = typeKeys(from ?? (await started(reader)), '/');
  let state = await settle(typeKeys(open, text), reader);
  for (let round = 0; round < 3; round += 1) state = await settle(state, reader);
  return state;
}

const textOf = (line: Line): string =>
  line
    .map((piece) => piece.text)
    .join('')
    .trimEnd();

function rows(state: TerminalState): readonly string[] {
  return filterRows(issuesOf(state), promptOf(state), [], 80).map(textOf);
}

describe('the filter while it is typed', () => {
  it.each([
    ['service:led', [1, 0]],
    ['service:ledger', [1, 0]],
    ['level:warn', [2]],
    ['level:cri', [0]],
    ['release:v2', [4]],
    ['is:reg', [4]],
    ['is:ignored', [3]],
    ['Failure1', [1]],
    ['-service:led', [4, 2]],
    ['(service:ledger OR', [0]],
    ['service:[ledger, ', [0]],
    ['level:', [4, 2, 1, 0]],
    ['level:>', [4, 2, 1, 0]],
    ['level:>=err', [4, 1, 0]],
    ['"number 2', [2]],
  ])('%j lists %j before Enter', async (text, numbers) => {
    expect(listed(await typed(shop(), text)).sort()).toEqual(numbers.toSorted());
  });

  it.each([
    ['service:led', '/ service:led█ +2 of 4$', '^   Tab  ledger 1   ledger-archive 1$'],
    ['le', '2?', '^   Tab  level:  release:  or search for the text "le"$'],
    ['level:', '4 of 4', '^   Tab  error 2   crit 1   warn 1 .*also >=warn, \\[error, crit\\]$'],
    ['level:wran', '0 of 4', '^         \\^ no level "wran" here; did you mean warn\\?$'],
    ['service:ledgr', '0 of 4', '^           \\^ no service "ledgr" here; did you mean ledger\\?$'],
    ['is:ignored', '1 of 5', '^   Searching all issues: the filter names a state. +Tab  ignored$'],
    ['(service:api OR', '2 of 4', '^   Add a term and "\\)"\\. Showing service:api\\.$'],
    ['nosuch:x', '', '\\^ .*unknown field "nosuch"'],
    ['', '4 of 4', '^   Tab  level:  service:  is:  or search for text$'],
  ])('%j shows its count, and completions or what is wrong', async (text, third, fourth) => {
    const [row3 = '', row4] = rows(await typed(shop(), text));
    expect(row3).toMatch(new RegExp(third));
    expect(row4).toMatch(new RegExp(fourth));
  });

  it('keeps the list at a mistake, which Enter does not accept', async () => {
    const reader = shop();
    let state = await typed(reader, 'service:ledger');
    state = await settle(typeKeys(state, ' level:wran'), reader);
    expect(listed(state)).toEqual([0]);
    expect(promptOf(typeKeys(state, ENTER)).draft).toBe('service:ledger level:wran');
  });

  it.each([
    ['service:ledger', 'service:ledger', [0]],
    ['service:led', 'service:led*', [1, 0]],
    ['level:warn', 'level:warn', [2]],
    ['is:ign', 'is:ignored', [3]],
    ['Failure', 'Failure', [4, 2, 1, 0]],
  ])('Enter keeps a value that exists and adds the star to a beginning: %j', async (text, query, numbers) => {
    const reader = shop();
    const state = await settle(typeKeys(await typed(reader, text), ENTER), reader);
    expect(issuesOf(state).wanted.query).toBe(query);
    expect(state.memory.queries).toEqual([query]);
    expect(listed(state).sort()).toEqual(numbers.toSorted());
  });

  it('goes through completions and earlier filters, and Escape brings back the filter before', async () => {
    const reader = shop();
    const first = await settle(typeKeys(await typed(reader, 'level:warn'), ENTER), reader);
    const state = await typed(reader, '\u0015servi\t', first);
    expect(promptOf(state).draft).toBe('service:');
    expect(rows(typeKeys(await typed(reader, '\u0015le', first), '\t'))[1]).toBe('   Tab  level:  release:');
    const completed = typeKeys(await typed(reader, '\u0015service:l', first), '\t');
    expect(promptOf(completed).draft).toBe('service:ledger');
    expect(promptOf(typeKeys(completed, UP)).draft).toBe('level:warn');
    expect(overlayRows(completed)).toEqual([' Enter apply  Tab complete  ↑ earlier filters  Esc cancel ']);
    const back = await settle(typeKeys(completed, ESCAPE), reader);
    expect([issuesOf(back).wanted.query, listed(back)]).toEqual(['level:warn', [2]]);
  });
});
