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

/** Folds the lines of a log. A `roll_back` without an active `apply`, and a second `begin`, are ignored. */
export function groupingPlan(lines: readonly GroupingLine[]): GroupingPlan {
  const fold = new PlanFold();
  for (const [index, line] of lines.entries()) {
    if (line.action === 'begin' && index > 0) continue;
    fold[line.action](line);
  }
  return fold.plan;
}

interface ActiveApply {
  readonly throughMicros: number;
  readonly before: {
    readonly id: string | null;
    readonly spans: readonly GroupingSpan[];
    readonly version: number;
  };
}

/** The plan after some lines; it has a method for each action of the log. */
class PlanFold {
  #id: string | null = null;
  #spans: readonly GroupingSpan[] = [];
  readonly #periods: GroupingPeriod[] = [{ fromMicros: 0, settings: DEFAULT_GROUPING }];
  /** Those that were not rolled back. */
  readonly #applied: ActiveApply[] = [];

  get plan(): GroupingPlan {
    const before = this.#applied.at(-1)?.before;
    return {
      id: this.#id,
      spans: this.#spans,
      periods: this.#periods,
      rollsBackTo: before?.id,
      rollsBackToVersion: before?.version ?? this.#active.version,
    };
  }

  begin({ id, settings }: GroupingLine): void {
    this.#periods[0] = { fromMicros: 0, settings };
    this.#id = id;
  }

  configure({ atMicros, settings }: GroupingLine): void {
    this.#periods.push({ fromMicros: atMicros, settings: { ...settings, version: this.#active.version } });
  }

  apply({ id, throughMicros, settings }: GroupingLine): void {
    const before = { id: this.#id, spans: this.#spans, version: this.#active.version };
    this.#applied.push({ throughMicros, before });
    this.#spans = [{ afterMicros: 0, throughMicros, settings }];
    this.#groupLaterBy(id, throughMicros, settings.version);
  }

  roll_back({ id, throughMicros, settings }: GroupingLine): void {
    const undone = this.#applied.pop();
    if (undone === undefined) return;
    const { before, throughMicros: afterMicros } = undone;
    this.#spans =
      throughMicros > afterMicros ? [...before.spans, { afterMicros, throughMicros, settings }] : before.spans;
    this.#groupLaterBy(id, throughMicros, before.version);
  }

  get #active(): GroupingSettings {
    return activeGrouping({ periods: this.#periods });
  }

  /** Events after a regrouping keep the rules of before, and get its version. */
  #groupLaterBy(id: string, throughMicros: number, version: number): void {
    this.#id = id;
    this.#periods.push({ fromMicros: throughMicros + 1, settings: { ...this.#active, version } });
  }
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
