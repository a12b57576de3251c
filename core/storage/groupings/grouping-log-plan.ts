import { DEFAULT_GROUPING, type GroupingSettings } from '../../fingerprint/grouping-settings.js';
import type { GroupingLine } from './grouping-log-line.js';

/** Events of a span of receipt that are grouped by settings, whatever grouped them on arrival. */
export interface GroupingSpan {
  /** Received later than this … */
  readonly afterMicros: number;
  /** … and no later than this. */
  readonly throughMicros: number;
  readonly settings: GroupingSettings;
}

/** What groups events on arrival from an instant on. */
export interface GroupingPeriod {
  readonly fromMicros: number;
  readonly settings: GroupingSettings;
}

/** How the events of a record are grouped. Plain data. */
export interface GroupingPlan {
  /** Id of the line that last said how stored events are grouped; null where there is none. An index is true to one of them. */
  readonly id: string | null;
  /** Ascending, none overlaps another. Outside of them an event keeps what grouped it on arrival. */
  readonly spans: readonly GroupingSpan[];
  /** Ascending, the first from 0 on: what groups arrivals, and events of which the record does not say what grouped them. */
  readonly periods: readonly GroupingPeriod[];
  /** `id` as it was before the last `apply` that stands; undefined where none stands. */
  readonly rollsBackTo: string | null | undefined;
  /** The version from before that `apply`. */
  readonly rollsBackToVersion: number;
}

interface Standing {
  readonly throughMicros: number;
  readonly before: {
    readonly id: string | null;
    readonly spans: readonly GroupingSpan[];
    readonly version: number;
  };
}

/** What the lines of a log come to, in their order. A `roll_back` without an `apply` that stands, and a second `begin`, change nothing. */
export function groupingPlan(lines: readonly GroupingLine[]): GroupingPlan {
  const standing: Standing[] = [];
  const periods: GroupingPeriod[] = [{ fromMicros: 0, settings: DEFAULT_GROUPING }];
  let id: string | null = null;
  let spans: readonly GroupingSpan[] = [];
  const active = (): GroupingSettings => periods.at(-1)?.settings ?? DEFAULT_GROUPING;
  const setActive = (fromMicros: number, settings: GroupingSettings): void => {
    periods.push({ fromMicros, settings });
  };
  for (const [place, { action, atMicros, settings, throughMicros, id: lineId }] of lines.entries()) {
    if (action === 'begin') {
      if (place > 0) continue;
      periods[0] = { fromMicros: 0, settings };
      id = lineId;
    } else if (action === 'configure') {
      setActive(atMicros, { ...settings, version: active().version });
    } else if (action === 'apply') {
      standing.push({ throughMicros, before: { id, spans, version: active().version } });
      spans = [{ afterMicros: 0, throughMicros, settings }];
      id = lineId;
      setActive(throughMicros + 1, { ...active(), version: settings.version });
    } else {
      const undone = standing.pop();
      if (undone === undefined) continue;
      spans = [...undone.before.spans, ...spanBetween(undone.throughMicros, throughMicros, settings)];
      id = lineId;
      setActive(throughMicros + 1, { ...active(), version: undone.before.version });
    }
  }
  const last = standing.at(-1)?.before;
  return { id, spans, periods, rollsBackTo: last?.id, rollsBackToVersion: last?.version ?? active().version };
}

/** What groups events that arrive now. */
export function activeGrouping({ periods }: Pick<GroupingPlan, 'periods'>): GroupingSettings {
  return periods.at(-1)?.settings ?? DEFAULT_GROUPING;
}

/** The settings that count for an event, `committed` where what grouped it on arrival counts, and those by which it arrived. */
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

/** All settings that group something received after an instant. */
export function settingsInUse({ spans, periods }: GroupingPlan, afterMicros: number): GroupingSettings[] {
  const used = spans.filter(({ throughMicros }) => throughMicros > afterMicros).map(({ settings }) => settings);
  for (const [place, { fromMicros, settings }] of periods.entries()) {
    const endMicros = periods[place + 1]?.fromMicros ?? Number.POSITIVE_INFINITY;
    const isCovered = spans.some(
      (span) => span.afterMicros <= Math.max(fromMicros, afterMicros) && span.throughMicros >= endMicros - 1,
    );
    if (endMicros > afterMicros && endMicros > fromMicros && !isCovered) used.push(settings);
  }
  return used;
}

function spanBetween(afterMicros: number, throughMicros: number, settings: GroupingSettings): GroupingSpan[] {
  return throughMicros > afterMicros ? [{ afterMicros, throughMicros, settings }] : [];
}
