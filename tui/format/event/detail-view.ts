import type { EventDetail } from '../../../generated/reader-answers.js';
import { sortedJson } from '../../text/json-text.js';
import { cellsOf, cutToCells, neutralise } from '../../text/visible.js';

/** Kind of a block; screens draw each in its own style. */
export type DetailBlockKind = 'heading' | 'pairs' | 'section' | 'file' | 'json' | 'link' | 'gap';

/** Consecutive lines of one kind. */
export interface DetailBlock {
  readonly kind: DetailBlockKind;
  /** Lines separated by newlines; other control characters are not neutralised yet. */
  readonly text: string;
  /** Cells of the label column of `pairs`, where continuation rows of a value start. */
  readonly labelCells: number;
}

/** Required by the specification, "What the service does". */
const BACK_LINK = 'Back to Issue';

const GUTTER = '  ';
/** Maximum width of the label column, so that one long tag key does not push every value off the screen. */
const MAX_LABEL_CELLS = 32;
const SHORT_ID_LENGTH = 8;

/** The detail view of one event: what the specification lists under "Endpoints", in its order, and the link back. */
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

/** The detail view as neutralised text, not wrapped, with a trailing newline. */
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

function pairs(rows: readonly (readonly [string, string])[]): DetailBlock {
  const labels = rows.map(([label]) => onOneLine(label));
  const widths = labels.map((label) => cellsOf(cutToCells(label, MAX_LABEL_CELLS + 1)));
  const column = widths.reduce((widest, cells) => (cells > MAX_LABEL_CELLS ? widest : Math.max(widest, cells)), 0);
  const margin = ' '.repeat(column) + GUTTER;
  const lines = rows.map(([, value], index) => {
    const label = labels[index] ?? '';
    const padding = Math.max(0, column - (widths[index] ?? 0));
    return label + ' '.repeat(padding) + GUTTER + value.replace(/\r\n|\n/g, `\n${margin}`);
  });
  return { kind: 'pairs', text: lines.join('\n'), labelCells: column + GUTTER.length };
}

function block(part: DetailBlockKind, text: string): DetailBlock {
  return { kind: part, text, labelCells: 0 };
}

function gap(): DetailBlock {
  return block('gap', '');
}

/** Makes newlines visible where a second line would look like another row. */
function onOneLine(text: string): string {
  return text.replace(/\n/g, '␊');
}
