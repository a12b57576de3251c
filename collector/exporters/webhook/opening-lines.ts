import type { Alert } from './alert.js';

/** How people open what an alert is about. */
export interface Opening {
  /** Opens the terminal on that collector. */
  readonly browse: string;
  /** Prints the issue. */
  readonly issue: string;
  /** Of the event in the reading API; null where no event is known. */
  readonly eventUrl: string | null;
}

/** Characters that no shell takes for more than themselves. */
const PLAIN = /^[\w:/.,@%+=-]+$/;

/** The commands and the link for one alert, with the address of the reading endpoint as people reach it. */
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

function quotedForShell(text: string): string {
  return PLAIN.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`;
}
