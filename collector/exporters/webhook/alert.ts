import type { EventId } from '../../../core/event/ids.js';
import type { IssueSummary } from '../../../generated/reader-answers.js';

/** What is told of an issue. */
export const ALERT_KINDS = ['new', 'regressed', 'spiking'] as const;
export type AlertKind = (typeof ALERT_KINDS)[number];

/** One thing that happened to one issue. */
export interface Alert {
  readonly kind: AlertKind;
  /** When it was seen, RFC 3339. */
  readonly at: string;
  /** As it was then. */
  readonly issue: IssueSummary;
  /** Its latest event then; null where that could not be found. */
  readonly eventId: EventId | null;
}

/** How many of each kind. */
export type AlertCounts = Readonly<Record<AlertKind, number>>;

/** What is told at once: one alert, or what had to wait. */
export interface Call {
  /** `webhook-id`: the same for every try, also after a restart. */
  readonly id: string;
  /** When it was begun, RFC 3339. */
  readonly at: string;
  /** At least one, unless `beyond` says of others. */
  readonly alerts: readonly Alert[];
  /** Those that are told by their number alone. */
  readonly beyond: AlertCounts;
}

export const NO_ALERTS: AlertCounts = { new: 0, regressed: 0, spiking: 0 };

export function countAlerts(alerts: readonly Pick<Alert, 'kind'>[], beyond: AlertCounts = NO_ALERTS): AlertCounts {
  const counts = { ...beyond };
  for (const { kind } of alerts) counts[kind] += 1;
  return counts;
}

export function totalOf(counts: AlertCounts): number {
  return ALERT_KINDS.reduce((total, kind) => total + counts[kind], 0);
}

export function addAlertCounts(one: AlertCounts, other: AlertCounts): AlertCounts {
  return {
    new: one.new + other.new,
    regressed: one.regressed + other.regressed,
    spiking: one.spiking + other.spiking,
  };
}
