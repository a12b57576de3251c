import { Fault } from '../../core/event/fault.js';
import { parseSnooze, printSpan, type Snooze } from '../../core/issues/snooze.js';
import type { IssueSummary } from '../../generated/reader-answers.js';
import { openMenu } from '../overlays/menu.js';
import { openPrompt } from '../overlays/prompt.js';
import type { Menu, PromptProblem } from '../state/overlay.js';
import type { TerminalState } from '../state/terminal-state.js';
import { momentWords, zoneWord } from '../text/moments.js';
import { applyToEach, menuTitle } from './apply-actions.js';

const CHOICES = [
  { key: 'i', snooze: 'forever', label: 'until I reopen them' },
  { key: 'h', snooze: '1h', label: 'for 1 hour' },
  { key: 'd', snooze: '1d', label: 'for 1 day' },
  { key: 'w', snooze: '7d', label: 'for 7 days' },
  { key: 'c', snooze: '100x', label: 'for 100 more events' },
  { key: 'r', snooze: '100x/1h', label: 'until 100 events arrive within 1 hour' },
] as const;

/** Opens the menu of how long to ignore issues. */
export function openIgnoreMenu(state: TerminalState, targets: readonly IssueSummary[]): Menu<TerminalState> {
  const items = CHOICES.map(({ key, snooze, label }) => {
    const parsed = parseSnooze(snooze, state.nowMs);
    const { until } = parsed;
    const each = key === 'c' && targets.length > 1 ? { detail: 'each of them' } : {};
    const after = until === undefined ? snoozeText(parsed, state) : label;
    const run = (now: TerminalState) => ignore(now, targets, snooze, after);
    return { key, label, run, ...(until === undefined ? each : { detail: untilText(until, state) }) };
  });
  const other = {
    key: 'o',
    label: 'something else',
    detail: '12h, 2w, 500x, 20x/10m, until:2026-12-24',
    run: (now: TerminalState) => openSnoozePrompt(now, targets),
  };
  return openMenu(menuTitle('Ignore', targets, state), [...items, other]);
}

function openSnoozePrompt(state: TerminalState, targets: readonly IssueSummary[]): TerminalState {
  const prompt = openPrompt({
    label: 'ignore: ',
    check: (text) => snoozeProblem(text, state.nowMs),
    hint: (now, text) => {
      if (snoozeProblem(text, now.nowMs) !== undefined) return '7d, 12h, 100x, 100x/1h, until:2026-12-24 or forever';
      return `ignored ${snoozeText(parseSnooze(text, now.nowMs), now)}`;
    },
    accept: (now, text) => ignore(now, targets, text, snoozeText(parseSnooze(text, now.nowMs), now)),
  });
  return { ...state, overlay: prompt };
}

function ignore(state: TerminalState, targets: readonly IssueSummary[], snooze: string, after: string): TerminalState {
  return applyToEach(state, targets, { action: 'ignore', snooze }, 'Ignored', ` ${after}`);
}

function snoozeProblem(text: string, nowMs: number): PromptProblem | undefined {
  try {
    parseSnooze(text, nowMs);
    return undefined;
  } catch (error) {
    if (error instanceof Fault) return { reason: error.message, column: undefined };
    throw error;
  }
}

function snoozeText({ until, count, per_ms: perMs }: Snooze, state: TerminalState): string {
  if (until !== undefined) return untilText(until, state);
  if (count === undefined) return 'until reopened';
  return perMs === undefined ? `for ${count} more events` : `until ${count} events arrive within ${printSpan(perMs)}`;
}

function untilText(until: string, { nowMs, habits }: TerminalState): string {
  return `until ${momentWords(until, { nowMs, zone: habits.time })} ${zoneWord(habits.time)}`;
}
