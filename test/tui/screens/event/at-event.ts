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
import { type ArrayReader, createArrayReader, sampleIssue } from '../../array-reader.js';

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
