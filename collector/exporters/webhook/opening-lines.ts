import { quotedForShell } from '../../../config/values/printable.js';
import type { Alert } from './alert.js';

/** Commands and a link that open an alert. */
interface Opening {
  /** Command that opens the terminal. */
  readonly browse: string;
  /** Command that prints the issue. */
  readonly issue: string;
  /** URL of the event in the reading API; null if unknown. */
  readonly eventUrl: string | null;
}

/** Returns the commands and the link of one alert; `terminalUrl` is the public URL of the reading endpoint. */
export function openingOf({ issue, eventId }: Alert, terminalUrl: string): Opening {
  const base = terminalUrl.replace(/\/+$/, '');
  return {
    browse: browseCommand(terminalUrl),
    issue: `faultline issue ${issue.issue_id} --url ${quotedForShell(base)}`,
    eventUrl: eventId === null ? null : `${base}/api/v1/events/${eventId}`,
  };
}

export function browseCommand(terminalUrl: string): string {
  return `faultline browse --url ${quotedForShell(terminalUrl.replace(/\/+$/, ''))}`;
}
