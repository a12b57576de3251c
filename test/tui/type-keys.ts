import type { SourcesReader } from '../../core/merged/source.js';
import { frameLines } from '../../tui/app/frame-lines.js';
import { logicOf } from '../../tui/app/screen-table.js';
import { press } from '../../tui/app/update.js';
import { createEffectContext } from '../../tui/commands/create-effect-context.js';
import { overlayLines } from '../../tui/overlays/overlay-lines.js';
import type { IssuesScreen } from '../../tui/state/issues-state.js';
import type { Menu, Prompt } from '../../tui/state/overlay.js';
import { READ_ACCESS, READ_STATS } from '../../tui/state/read-stats.js';
import { initialState, type StartOptions, type TerminalState, topScreen } from '../../tui/state/terminal-state.js';
import { KeyParser } from '../../tui/terminal/key-parser.js';
import { PLAIN_THEME } from '../../tui/terminal/theme.js';
import { cutLine } from '../../tui/text/line.js';

export const ENTER = '\r';
export const ESCAPE = '\u001b';
export const UP = '\u001b[A';
export const DOWN = '\u001b[B';
export const RIGHT = '\u001b[C';
export const LEFT = '\u001b[D';
export const SHIFT_TAB = '\u001b[Z';

/** The state after keys, as a terminal sends them. */
export function typeKeys(state: TerminalState, keys: string): TerminalState {
  const parser = new KeyParser();
  return [...parser.push(keys), ...parser.flush()].reduce(press, state);
}

/** Performs pending effects, then reads what the visible screen needs and what is polled, as the browser does. */
export async function settle(state: TerminalState, reader: SourcesReader): Promise<TerminalState> {
  const context = createEffectContext({ reader, env: { USER: 'ada' } });
  let now = state;
  while (now.pendingEffects.length > 0) {
    const [effect, ...asked] = now.pendingEffects;
    now = { ...now, pendingEffects: asked };
    try {
      now = (await effect?.perform(context))?.(now) ?? now;
    } catch (error) {
      now = { ...now, notice: { text: error instanceof Error ? error.message : String(error), tone: 'error' } };
    }
  }
  const { missing, polled } = logicOf(topScreen(now));
  for (const read of [READ_STATS, READ_ACCESS, ...missing(now), ...polled(now)]) {
    now = (await read.perform(reader))(now);
  }
  return now;
}

/** The state of a terminal after its first reads. */
export function started(reader: SourcesReader, options: Partial<StartOptions> = {}): Promise<TerminalState> {
  const nowMs = Date.parse('2026-11-20T12:00:00Z');
  return settle(initialState({ size: { columns: 80, rows: 24 }, nowMs, ...options }), reader);
}

export function issuesOf({ stack: [issues] }: TerminalState): IssuesScreen {
  return issues;
}

/** Numbers of the listed sample issues, in order. */
export function listed(state: TerminalState): number[] {
  return issuesOf(state).list.rows.map(({ issue_id }) => Number.parseInt(issue_id.slice(-12), 16));
}

export function promptOf({ overlay }: TerminalState): Prompt<TerminalState> {
  if (overlay?.kind !== 'prompt') throw new Error(`no prompt but ${overlay?.kind}`);
  return overlay;
}

export function menuOf({ overlay }: TerminalState): Menu<TerminalState> {
  if (overlay?.kind !== 'menu') throw new Error(`no menu but ${overlay?.kind}`);
  return overlay;
}

/** The rows of the window, as text. */
export function windowRows(state: TerminalState): string[] {
  return frameLines(state).map((line) => PLAIN_THEME.paint(cutLine(line, state.size.columns)).trimEnd());
}

/** The rows of the overlay, as text. */
export function overlayRows(state: TerminalState): string[] {
  const lines = state.overlay === undefined ? [] : overlayLines(state.overlay, state);
  return lines.map((line) => line.map(({ text }) => text).join(''));
}
