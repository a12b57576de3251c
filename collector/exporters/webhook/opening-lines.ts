import { quotedForShell } from '../../../config/values/printable.js';
import type { Alert } from './alert.js';

/**
 * Returns the commands that open the terminal and print the issue of an alert, and the URL of its event in the reading API, null if unknown.
 * `terminalUrl` is the public URL of the reading endpoint.
 */
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
