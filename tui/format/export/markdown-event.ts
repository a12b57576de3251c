import type { EventDetail } from '../../../generated/reader-answers.js';
import { clockTime } from '../../text/time-words.js';
import { markdownFence, markdownInline, markdownTable } from './markdown-text.js';

/** Bounds that keep the whole below the 65,536 characters of a tracker. */
const MAX_MESSAGE = 4_000;
const MAX_STACK = 12_000;
const MAX_TAGS = 20;
const MAX_TAG_CELL = 120;

/** One event as Markdown, with the bounds and the care of `issueMarkdown`. */
export function eventMarkdown(event: EventDetail): string {
  const { error_name: errorName, message } = event.normalized;
  return `${[`# ${markdownInline(`${errorName}: ${message}`, 256)}`, ...eventSections(event)].join('\n\n')}\n`;
}

/** What is said of an event: its fields, its message, its stack trace, its tags, and where its raw line lies. */
export function eventSections(event: EventDetail): string[] {
  const { stack, message } = event.normalized;
  return [
    markdownTable(['', ''], summaryRows(event)).trimEnd(),
    `### Message\n\n${markdownFence(message, MAX_MESSAGE)}`,
    ...(stack === null ? [] : [`### Stack trace\n\n${markdownFence(stack, MAX_STACK)}`]),
    ...tagSection(event.normalized.tags),
    `Raw line: ${markdownInline(event.raw.path)}, line ${event.raw.line}, counted from zero.`,
  ];
}

function summaryRows({ event_id: eventId, normalized }: EventDetail): [string, string][] {
  const { method, route, status_code: status } = normalized;
  const rows: [string, string | null][] = [
    ['Event', eventId],
    ['Time', `${clockTime(normalized.timestamp, 'full')} UTC`],
    ['Level', normalized.level],
    ['App', normalized.app],
    ['Service', normalized.service],
    ['Environment', normalized.env],
    ['Release', normalized.release],
    ['Error', normalized.error_name],
    ['Route', method === null ? route : `${method} ${route}`],
    ['Status code', status === null ? null : String(status)],
    ['Request', normalized.request_id],
    ['User', normalized.user_id],
  ];
  return rows.flatMap(([label, value]): [string, string][] => (value === null ? [] : [[label, value]]));
}

function tagSection(tags: Record<string, string>): string[] {
  const keys = Object.keys(tags).sort();
  if (keys.length === 0) return [];
  const rows = keys.slice(0, MAX_TAGS).map((key) => [key, tags[key] ?? '']);
  const left = keys.length - rows.length;
  const more = left === 0 ? '' : `\n\nThere are ${left} more tags.`;
  return [`### Tags\n\n${markdownTable(['Tag', 'Value'], rows, MAX_TAG_CELL).trimEnd()}${more}`];
}
