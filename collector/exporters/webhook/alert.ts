import { quotedForShell } from '../../../config/values/printable.js';
import type { EventId } from '../../../core/event/ids.js';
import type { IssueSummary } from '../../../generated/reader-answers.js';

export const ALERT_KINDS = ['new', 'regressed', 'spiking'] as const;
export type AlertKind = (typeof ALERT_KINDS)[number];

/** A change of one issue, with the state of the issue at that time. */
export interface Alert {
  readonly kind: AlertKind;
  /** When the change was seen, RFC 3339. */
  readonly at: string;
  readonly issue: IssueSummary;
  /** The latest event; null if unknown. */
  readonly eventId: EventId | null;
}

export type AlertCounts = Readonly<Record<AlertKind, number>>;

/** Alerts sent in one request. */
export interface Call {
  /** `webhook-id`: the same for every attempt, also after a restart. */
  readonly id: string;
  /** Creation time, RFC 3339. */
  readonly at: string;
  /** Not empty unless `beyond` counts alerts. */
  readonly alerts: readonly Alert[];
  /** Alerts that are only counted. */
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

/** The commands that open and print the issue of an alert, and the URL of its event in the reading API, null if unknown. */
export function openingOf({ issue, eventId }: Alert, terminalUrl: string) {
  const base = terminalUrl.replace(/\/+$/, '');
  return {
    browse: browseCommand(terminalUrl, issue.issue_id),
    issue: `faultline issue ${issue.issue_id} --url ${quotedForShell(base)}`,
    eventUrl: eventId === null ? null : `${base}/api/v1/events/${eventId}`,
  };
}

/** The command that opens the terminal, at an issue if one is named. */
export function browseCommand(terminalUrl: string, issueId?: string): string {
  const id = issueId === undefined ? '' : ` ${issueId}`;
  return `faultline browse${id} --url ${quotedForShell(terminalUrl.replace(/\/+$/, ''))}`;
}
