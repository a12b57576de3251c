import type { RawPayload } from '../../../../core/event/raw-payload.js';
import type { EventDetail } from '../../../../generated/reader-answers.js';
import { logicOf } from '../../../../tui/app/screen-table.js';
import type { EffectContext } from '../../../../tui/state/effect-context.js';
import type { EventScreen } from '../../../../tui/state/event-state.js';
import { openEvent } from '../../../../tui/state/event-state.js';
import type { IssueScreen } from '../../../../tui/state/issue-state.js';
import { openIssue } from '../../../../tui/state/issue-state.js';
import {
  initialState,
  pushScreen,
  type Screen,
  type TerminalState,
  topScreen,
  withTop,
} from '../../../../tui/state/terminal-state.js';
import { type ArrayReader, createArrayReader, sampleEvent, sampleIssue } from '../../array-reader.js';
import { windowRows } from '../../type-keys.js';

/** Two errors with frames of the application and of libraries. */
export const NODE_STACK = [
  'OrderError: order 7 was not saved',
  '    at saveOrder (/srv/api/src/orders/save.js:31:11)',
  '    at Layer.handle (/srv/api/node_modules/express/lib/router/layer.js:95:5)',
  '    at next (/srv/api/node_modules/express/lib/router/route.js:149:13)',
  '    at main (/srv/api/src/main.js:9:3) {',
  '  [cause]: StorageError: page 3 is read-only',
  '      at writePage (/srv/api/src/storage/page.js:12:7)',
  '      at node:internal/fs/promises:55:9',
  '}',
].join('\n');

/** A numbered event. */
export const event = (number: number, changes: Partial<RawPayload> = {}): EventDetail =>
  sampleEvent(1, number, { message: `message ${number}`, ...changes });

/** Reads until the visible screen needs nothing more, as the browser does. */
export async function load(state: TerminalState, reader: ArrayReader): Promise<TerminalState> {
  let loaded = state;
  for (let round = 0; round < 20; round += 1) {
    const [read] = logicOf(topScreen(loaded)).missing(loaded);
    if (read === undefined) return loaded;
    loaded = (await read.perform(createTestContext(reader).reader))(loaded);
  }
  throw new Error('it never has everything');
}

/** A context of effects in which every effect is refused unless the test provides it. */
export function createTestContext(reader: ArrayReader, given: Partial<EffectContext> = {}): EffectContext {
  const refused = async (): Promise<never> => {
    throw new Error('not given');
  };
  const merged = { sources: () => [], ownersOf: () => [] };
  return {
    reader: Object.assign(reader, merged),
    actor: 'anna',
    copy: refused,
    edit: refused,
    editCopy: refused,
    readSource: refused,
    exportTo: refused,
    setMouse: () => undefined,
    ...given,
  };
}

/** Performs pending effects, as the browser does. */
export async function perform(state: TerminalState, context: EffectContext): Promise<TerminalState> {
  let done: TerminalState = { ...state, pendingEffects: [] };
  for (const effect of state.pendingEffects) done = (await effect.perform(context))(done);
  return done;
}

/** A terminal at one event of an issue: by default the newest, otherwise the one `place` positions before it. */
export async function atEvent(
  events: EventDetail[],
  { columns = 80, rows = 24, place = 0 }: { columns?: number; rows?: number; place?: number } = {},
): Promise<{ state: TerminalState; reader: ArrayReader }> {
  const reader = createArrayReader({ issues: [sampleIssue(1, { count: events.length })], events });
  const start = initialState({ size: { columns, rows }, nowMs: Date.parse('2026-11-20T11:00:00Z') });
  const listed = await load(
    pushScreen(start, (key) => openIssue(key, sampleIssue(1))),
    reader,
  );
  const row = issueScreen(listed).list.rows[place];
  if (row === undefined) throw new Error('the list has no such row');
  const issue = issueScreen(listed);
  const selecting = withTop(listed, { ...issue, list: { ...issue.list, selectedId: row.event_id } });
  const opened = pushScreen(selecting, (key) => openEvent(key, row));
  return { state: await load(opened, reader), reader };
}

/** The visible event screen. */
export function eventScreen(state: TerminalState): EventScreen {
  const top = topScreen(state);
  if (top.kind !== 'event') throw new Error(`the visible screen is ${top.kind}`);
  return top;
}

/** The screen of the issue below. */
export function issueScreen(state: TerminalState): IssueScreen {
  const found = state.stack.findLast((screen): screen is IssueScreen => screen.kind === 'issue');
  if (found === undefined) throw new Error('the list has no issue');
  return found;
}

/** Replaces the screens above the list of issues. */
export function withAbove(state: TerminalState, change: (above: Screen[]) => Screen[]): TerminalState {
  const [first, ...above] = state.stack;
  return { ...state, stack: [first, ...change(above)] };
}

/** The rows of the visible pane, without empty ones at the end. */
export function shown(state: TerminalState): string[] {
  const pane = windowRows(state).slice(2, -1);
  return pane.slice(0, pane.findLastIndex((row) => row !== '') + 1);
}

/** The row of the tabs. */
export const tabs = (state: TerminalState): string => windowRows(state)[1] ?? '';
/** The row of the pane with the cursor. */
export const cursorRow = (state: TerminalState): string => shown(state).find((row) => row.startsWith('›')) ?? '';
