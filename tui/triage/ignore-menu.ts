import { Fault } from '../../core/event/fault.js';
import { parseSnooze, printSpan, type Snooze } from '../../core/issues/snooze.js';
import type { IssueSummary } from '../../generated/reader-answers.js';
import { openMenu } from '../overlays/menu.js';
import { openPrompt } from '../overlays/prompt.js';
import type { Menu, PromptProblem } from '../state/overlay.js';
import type { TerminalState } from '../state/terminal-state.js';
import { clockTime } from '../text/time-words.js';
import { applyToEach } from './apply-actions.js';
import { describeIssues } from './describe-issues.js';

const CHOICES = [
  { key: 'i', snooze: 'forever' },
  { key: 'h', snooze: '1h' },
  { key: 'd', snooze: '1d' },
  { key: 'w', snooze: '7d' },
  { key: 'c', snooze: '100x' },
  { key: 'r', snooze: '100x/1h' },
] as const;

/** For how long issues are ignored. */
export function openIgnoreMenu(state: TerminalState, targets: readonly IssueSummary[]): Menu<TerminalState> {
  const items = CHOICES.map(({ key, snooze }) => ({
    key,
    label: snooze,
    detail: snoozeWords(parseSnooze(snooze, state.nowMs)),
    run: (now: TerminalState) => ignore(now, targets, snooze),
  }));
  const other = {
    key: 'o',
    label: 'something else',
    detail: '12h, 2w, 500x, 20x/10m, until:2026-12-24',
    run: (now: TerminalState) => openSnoozePrompt(now, targets),
  };
  return openMenu(`Ignore ${describeIssues(targets)}`, [...items, other]);
}

function openSnoozePrompt(state: TerminalState, targets: readonly IssueSummary[]): TerminalState {
  const { nowMs } = state;
  const prompt = openPrompt({
    label: 'ignore for: ',
    check: (text) => snoozeProblem(text, nowMs),
    hint: (now, text) => {
      if (snoozeProblem(text, now.nowMs) !== undefined) return '7d, 12h, 100x, 100x/1h, until:2026-12-24 or forever';
      return `ignored ${snoozeWords(parseSnooze(text, now.nowMs))}`;
    },
    accept: (now, text) => ignore(now, targets, text),
  });
  return { ...state, overlay: prompt };
}

function ignore(state: TerminalState, targets: readonly IssueSummary[], snooze: string): TerminalState {
  return applyToEach(state, targets, { action: 'ignore', snooze }, 'Ignored');
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

/** What ends an `ignored` state, in words: `until 2026-12-24 10:00:00 UTC`, `until 100 more events come`, `until 100 events come within 1h`, `for ever`. */
function snoozeWords({ until, count, per_ms: perMs }: Snooze): string {
  if (until !== undefined) return `until ${clockTime(until, 'full')} UTC`;
  if (count === undefined) return 'for ever';
  return perMs === undefined
    ? `until ${count} more events come`
    : `until ${count} events come within ${printSpan(perMs)}`;
}
