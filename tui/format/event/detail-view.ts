import type { EventDetail } from '../../../generated/reader-answers.js';
import { sortedJson } from '../../text/json-text.js';
import { cellsOf, cutToCells, neutralise } from '../../text/visible.js';

/** What a stretch of the detail view is; screens draw each in its own way. */
export type DetailPart = 'heading' | 'pairs' | 'section' | 'file' | 'json' | 'link' | 'gap';

/** Consecutive lines of one kind. */
export interface DetailBlock {
  readonly part: DetailPart;
  /** Lines separated by newlines; every other control character in it still has to be neutralised. */
  readonly text: string;
  /** In `pairs`: cells of the label column. Further rows of a value begin there. */
  readonly labelCells: number;
}

/** Text of the link that leads back, specification "What the service does". */
const BACK_LINK = 'Back to Issue';

/** Blanks between a label and its value. */
const GUTTER = '  ';
/** Label columns get no wider, so that one long tag key does not push every value off the screen; its own value follows it. */
const MAX_LABEL_CELLS = 32;
const SHORT_ID_LENGTH = 8;

/** The detail view of one event: exactly what the specification lists under "Endpoints", in its order, and the link back. */
export function detailView(event: EventDetail): readonly DetailBlock[] {
  const { normalized, raw } = event;
  return [
    block('heading', `Event ${event.event_id.slice(0, SHORT_ID_LENGTH)}`),
    gap(),
    pairs(summaryRows(event)),
    gap(),
    block('section', 'Tags'),
    ...tagBlocks(normalized.tags),
    gap(),
    block('section', 'Raw Payload'),
    block('file', `File: ${onOneLine(raw.path)} (line ${raw.line})`),
    block('json', sortedJson({ ...raw.payload })),
    gap(),
    block('section', 'Normalized Event'),
    block('json', sortedJson({ ...normalized })),
    gap(),
    block('link', BACK_LINK),
  ];
}

/** The detail view as plain text for pipes and terminals: neutralised, not wrapped, ended by a newline. */
export function detailText(event: EventDetail): string {
  const lines = detailView(event).flatMap(({ text }) => text.split('\n'));
  return `${lines.map(neutralise).join('\n')}\n`;
}

/** The rows of the summary table, specification "Endpoints" 2. */
function summaryRows(event: EventDetail): readonly (readonly [string, string])[] {
  const { normalized } = event;
  const { method, route, status_code, release } = normalized;
  return [
    ['Event ID', event.event_id],
    ['Issue ID', event.issue_id],
    ['Timestamp', normalized.timestamp],
    ['App', normalized.app],
    ['Service', normalized.service],
    ['Environment', normalized.env],
    ['Level', normalized.level],
    ['Type', normalized.type],
    ['Error Name', normalized.error_name],
    ['Message', normalized.message],
    ['Fingerprint', normalized.fingerprint],
    ['Route', method === null ? route : `${method} ${route}`],
    ...(status_code === null ? [] : [['Status Code', String(status_code)] as const]),
    ...(release === null ? [] : [['Release', release] as const]),
  ];
}

function tagBlocks(tags: Record<string, string>): readonly DetailBlock[] {
  const keys = Object.keys(tags).sort();
  return keys.length === 0 ? [] : [pairs(keys.map((key) => [key, tags[key] ?? ''] as const))];
}

/** A two-column table: a line for each label, further lines of a value below its first one. */
function pairs(rows: readonly (readonly [string, string])[]): DetailBlock {
  const labels = rows.map(([label]) => onOneLine(label));
  const widths = labels.map((label) => cellsOf(cutToCells(label, MAX_LABEL_CELLS + 1)));
  const column = widths.reduce((widest, cells) => (cells > MAX_LABEL_CELLS ? widest : Math.max(widest, cells)), 0);
  const margin = ' '.repeat(column) + GUTTER;
  const lines = rows.map(([, value], place) => {
    const label = labels[place] ?? '';
    const missing = Math.max(0, column - (widths[place] ?? 0));
    return label + ' '.repeat(missing) + GUTTER + value.replace(/\r\n|\n/g, `\n${margin}`);
  });
  return { part: 'pairs', text: lines.join('\n'), labelCells: column + GUTTER.length };
}

function block(part: DetailPart, text: string): DetailBlock {
  return { part, text, labelCells: 0 };
}

function gap(): DetailBlock {
  return block('gap', '');
}

/** Newlines made visible, where a second line would look like another row. */
function onOneLine(text: string): string {
  return text.replace(/\n/g, '␊');
}
