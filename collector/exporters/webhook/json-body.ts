import type { IssueSummary } from '../../../generated/reader-answers.js';
import { type Alert, type AlertCounts, type Call, totalOf } from './alert.js';
import { openingOf } from './opening-lines.js';

interface AlertData {
  issue: IssueSummary;
  /** Command that opens the terminal; absent without `terminal_url`, like the two after it. */
  terminal?: string;
  /** Command that prints the issue. */
  command?: string;
  /** The issue's latest event in the reading API; null if unknown. */
  event_url?: string | null;
}

/** Body of format `json`, after Standard Webhooks: type, timestamp, data. */
type WebhookBody =
  | { type: `issue.${Alert['kind']}`; timestamp: string; data: AlertData }
  | {
      type: 'issues.many';
      timestamp: string;
      data: {
        alerts: (AlertData & { type: `issue.${Alert['kind']}`; timestamp: string })[];
        /** Alerts that are not listed, by kind. */
        beyond: AlertCounts;
      };
    };

/** Encodes a call as JSON; deterministic. */
export function jsonBody({ at, alerts, beyond }: Call, terminalUrl: string | undefined): WebhookBody {
  const [first, ...others] = alerts;
  if (first !== undefined && others.length + totalOf(beyond) === 0) {
    return { type: `issue.${first.kind}`, timestamp: first.at, data: dataOf(first, terminalUrl) };
  }
  const listed = alerts.map((alert) => ({
    type: `issue.${alert.kind}` as const,
    timestamp: alert.at,
    ...dataOf(alert, terminalUrl),
  }));
  return { type: 'issues.many', timestamp: at, data: { alerts: listed, beyond } };
}

function dataOf(alert: Alert, terminalUrl: string | undefined): AlertData {
  if (terminalUrl === undefined) return { issue: alert.issue };
  const { browse, issue, eventUrl } = openingOf(alert, terminalUrl);
  return { issue: alert.issue, terminal: browse, command: issue, event_url: eventUrl };
}
