import type { IssueSummary } from '../../../generated/reader-answers.js';
import { ago, spanWords } from '../../text/moments.js';

type State = Pick<
  IssueSummary,
  'status' | 'regressed' | 'is_new' | 'spiking' | 'snooze' | 'snooze_left' | 'resolved_in' | 'state_at' | 'state_by'
>;

/** The state with who and until when: `ignored 6d more by anna`, `resolved 2h ago by anna`, `regressed, spiking`. */
export function stateWords(issue: State, nowMs: number): string {
  const { status, state_by: by, snooze } = issue;
  if (status === 'open') return openWords(issue);
  const byWhom = by === null ? '' : ` by ${by}`;
  if (status === 'resolved') return `resolved ${releaseWords(issue) ?? `${resolvedAgo(issue, nowMs)}${byWhom}`}`.trim();
  const untilMs = snoozedUntil(snooze);
  if (untilMs !== undefined) return `ignored ${spanWords(untilMs - nowMs)} more${byWhom}`;
  if (snooze === null) return `ignored until reopened${by === null ? '' : `, ${by}`}`;
  return `ignored${byWhom}, ${progressOf(issue) ?? snooze}`;
}

/** The state for texts that are kept: `ignored until 2026-12-24 10:00`, `ignored 100x/1h`, `resolved in v1.5.0`. */
export function datedStateWords(issue: Omit<State, 'snooze_left' | 'state_at' | 'state_by'>): string {
  const { status, resolved_in: release, snooze } = issue;
  if (status === 'open') return openWords(issue);
  if (status === 'resolved') return release === null ? 'resolved' : `resolved in ${release}`;
  const until = /^until:(\d{4}-\d{2}-\d{2})T(\d{2}:\d{2})/.exec(snooze ?? '');
  const words = until === null ? snooze : `until ${until[1]} ${until[2]}`;
  return words === null ? 'ignored' : `ignored ${words}`;
}

/** The state in 14 cells beside its sign: `6d left, anna`, `63 of 100x`, `next release`. */
export function shortStateWords(issue: State, nowMs: number): string {
  const { status, state_by: by, snooze } = issue;
  if (status === 'open') return openWords(issue);
  const comma = by === null ? '' : `, ${by}`;
  if (status === 'resolved')
    return releaseWords(issue)?.replace(/^in next/, 'next') ?? resolvedAgo(issue, nowMs) + comma;
  const untilMs = snoozedUntil(snooze);
  if (untilMs !== undefined) return `${spanWords(untilMs - nowMs)} left${comma}`;
  if (snooze === null) return 'until reopened';
  const progress = progressOf(issue);
  return progress === undefined ? snooze + comma : `${progress}x`;
}

function openWords({ regressed, is_new: isNew, spiking }: Pick<State, 'regressed' | 'is_new' | 'spiking'>): string {
  const states = [regressed && 'regressed', isNew && 'new', spiking && 'spiking'];
  return states.filter((state) => state !== false).join(', ') || 'open';
}

function releaseWords({ resolved_in: release }: State): string | undefined {
  if (release === null) return undefined;
  return release === 'next' ? 'in next release' : `in ${release}`;
}

function resolvedAgo({ state_at: at }: State, nowMs: number): string {
  return at === null ? '' : ago(at, nowMs);
}

function snoozedUntil(snooze: string | null): number | undefined {
  const ms = snooze?.startsWith('until:') === true ? Date.parse(snooze.slice('until:'.length)) : Number.NaN;
  return Number.isNaN(ms) ? undefined : ms;
}

function progressOf({ snooze, snooze_left: left }: State): string | undefined {
  const count = Number(/^(\d+)x$/.exec(snooze ?? '')?.[1]);
  return left === null || Number.isNaN(count) ? undefined : `${count - left} of ${count}`;
}
