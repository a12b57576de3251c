import { DEFAULT_GROUPING, type GroupingSettings } from '../../fingerprint/grouping-settings.js';
import type { FollowStep } from '../../issues/issue-groups.js';
import type { GroupingLine } from './grouping-log-line.js';

/** Groups all events received in a span by these settings. */
interface GroupingSpan {
  /** Exclusive. */
  readonly afterMicros: number;
  /** Inclusive. */
  readonly throughMicros: number;
  readonly settings: GroupingSettings;
}

/** Groups arriving events from an instant on. */
interface GroupingPeriod {
  readonly fromMicros: number;
  readonly settings: GroupingSettings;
}

/** How the events of a record are grouped. */
export interface GroupingPlan {
  /** Id of the last line that grouped stored events, null if none. Identifies the grouping of an index. */
  readonly id: string | null;
  /** Ascending, without overlaps. Events outside keep their fingerprint from arrival. */
  readonly spans: readonly GroupingSpan[];
  /** Ascending from 0. Also groups events without a stored fingerprint. */
  readonly periods: readonly GroupingPeriod[];
  /** `id` before the last active `apply`; undefined without one. */
  readonly rollsBackTo: string | null | undefined;
  /** Version before that `apply`. */
  readonly rollsBackToVersion: number;
}

interface ActiveApply {
  readonly throughMicros: number;
  readonly before: {
    readonly id: string | null;
    readonly spans: readonly GroupingSpan[];
    readonly version: number;
  };
}

/** Folds the lines of a log. A `roll_back` without an active `apply`, and a second `begin`, are ignored. */
export function groupingPlan(lines: readonly GroupingLine[]): GroupingPlan {
  const applied: ActiveApply[] = [];
  const periods: GroupingPeriod[] = [{ fromMicros: 0, settings: DEFAULT_GROUPING }];
  let id: string | null = null;
  let spans: readonly GroupingSpan[] = [];
  const active = (): GroupingSettings => periods.at(-1)?.settings ?? DEFAULT_GROUPING;
  for (const [index, { action, atMicros, settings, throughMicros, id: lineId }] of lines.entries()) {
    if (action === 'begin') {
      if (index > 0) continue;
      periods[0] = { fromMicros: 0, settings };
      id = lineId;
    } else if (action === 'configure') {
      periods.push({ fromMicros: atMicros, settings: { ...settings, version: active().version } });
    } else if (action === 'apply') {
      applied.push({ throughMicros, before: { id, spans, version: active().version } });
      spans = [{ afterMicros: 0, throughMicros, settings }];
      id = lineId;
      periods.push({ fromMicros: throughMicros + 1, settings: { ...active(), version: settings.version } });
    } else {
      const undone = applied.pop();
      if (undone === undefined) continue;
      const since = { afterMicros: undone.throughMicros, throughMicros, settings };
      spans = throughMicros > since.afterMicros ? [...undone.before.spans, since] : undone.before.spans;
      id = lineId;
      periods.push({ fromMicros: throughMicros + 1, settings: { ...active(), version: undone.before.version } });
    }
  }
  const last = applied.at(-1)?.before;
  return { id, spans, periods, rollsBackTo: last?.id, rollsBackToVersion: last?.version ?? active().version };
}

/** Settings for events that arrive now. */
export function activeGrouping({ periods }: Pick<GroupingPlan, 'periods'>): GroupingSettings {
  return periods.at(-1)?.settings ?? DEFAULT_GROUPING;
}

/** The settings that apply to an event (`committed`: its stored fingerprint counts), and those at its arrival. */
export function groupingAt(
  { spans, periods }: Pick<GroupingPlan, 'spans' | 'periods'>,
  receivedAtMicros: number,
): { readonly counts: GroupingSettings | 'committed'; readonly arrived: GroupingSettings } {
  const span = spans.find(
    ({ afterMicros, throughMicros }) => receivedAtMicros > afterMicros && receivedAtMicros <= throughMicros,
  );
  const period = periods.findLast(({ fromMicros }) => fromMicros <= receivedAtMicros);
  return { counts: span?.settings ?? 'committed', arrived: period?.settings ?? DEFAULT_GROUPING };
}

/** All settings that apply to events received after an instant. */
export function settingsInUse({ spans, periods }: GroupingPlan, afterMicros: number): GroupingSettings[] {
  const used = spans.filter(({ throughMicros }) => throughMicros > afterMicros).map(({ settings }) => settings);
  for (const [index, { fromMicros, settings }] of periods.entries()) {
    const endMicros = periods[index + 1]?.fromMicros ?? Number.POSITIVE_INFINITY;
    const isCovered = spans.some(
      (span) => span.afterMicros <= Math.max(fromMicros, afterMicros) && span.throughMicros >= endMicros - 1,
    );
    if (endMicros > afterMicros && endMicros > fromMicros && !isCovered) used.push(settings);
  }
  return used;
}

/** Moves of events between issues, in order of time; a rolled back `apply` is left out. */
export function followSteps(lines: readonly GroupingLine[]): FollowStep[] {
  const applied: GroupingLine[] = [];
  const steps = new Map<GroupingLine, FollowStep>();
  for (const line of lines) {
    const { action, atMicros: beforeMicros, follows } = line;
    if (action === 'apply') {
      applied.push(line);
      steps.set(line, { fromMicros: 0, beforeMicros, follows });
    } else if (action === 'roll_back') {
      const undone = applied.pop();
      if (undone === undefined) continue;
      steps.delete(undone);
      steps.set(line, { fromMicros: undone.atMicros, beforeMicros, follows });
    }
  }
  return [...steps.values()];
}
