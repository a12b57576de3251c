import { quotedForShell } from '../../../config/values/printable.js';
import type { Alert } from './alert.js';

/**
 * Returns the commands that open the terminal and print the issue of an alert, and the URL of its event in the reading API, null if unknown.
 * `terminalUrl` is the public URL of the reading endpoint.
 */
export function openingOf({ issue, eventId }: Alert, terminalUrl: string) {
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
