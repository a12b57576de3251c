import type { EventDetail } from '../../../generated/reader-answers.js';
import { clockTime } from '../../text/moments.js';
import { markdownFence, markdownInline, markdownTable } from './markdown-text.js';

/** Bounds that keep an issue below the 65,536 characters of a tracker. */
const MAX_MESSAGE = 4_000;
const MAX_STACK = 12_000;
const MAX_TAGS = 20;
const MAX_TAG_CELL = 120;

/** One event as Markdown, bounded and escaped like `issueMarkdown`. */
export function eventMarkdown(event: EventDetail): string {
  const { error_name: errorName, message } = event.normalized;
  return `${[`# ${markdownInline(`${errorName}: ${message}`, 256)}`, ...eventSections(event)].join('\n\n')}\n`;
}

/** The sections of an event: fields, message, stack trace, tags, position of the raw line. */
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

function summaryRows({ event_id: eventId, normalized }: EventDetail): [string, string | null][] {
  const { method, route, status_code: status } = normalized;
  return [
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
}

function tagSection(tags: Record<string, string>): string[] {
  const keys = Object.keys(tags).sort();
  if (keys.length === 0) return [];
  const rows = keys.slice(0, MAX_TAGS).map((key) => [key, tags[key] ?? '']);
  const left = keys.length - rows.length;
  const more = left === 0 ? '' : `\n\n${left} more tags are not shown.`;
  return [`### Tags\n\n${markdownTable(['Tag', 'Value'], rows, MAX_TAG_CELL).trimEnd()}${more}`];
}
