import { shortEventId } from '../../../core/event/short-event-id.js';
import type { EventDetail, EventReport } from '../../../generated/reader-answers.js';
import { countWithNoun } from '../../text/counts.js';
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

const BACK_LINK = 'Back to Issue';

const GUTTER = '  ';
/** Maximum width of the label column, so that one long tag key does not push every value off the screen. */
const MAX_LABEL_CELLS = 32;
const SHORT_ID_LENGTH = 8;

/** The detail view of one event: summary, tags, raw and normalized payload, and the link back. */
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

/** The rows of the summary table. */
function summaryRows(event: EventDetail): readonly (readonly [string, string])[] {
  const { normalized, reports } = event;
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
    ...(reports === undefined ? [] : [['Reported By', reportsText(reports)] as const]),
  ];
}

/** All reports of an occurrence, the one that counts first. */
export function reportsText(reports: readonly EventReport[]): string {
  return reports.map(({ kind, event }) => `${kind} ${shortEventId(event.event_id)}`).join(', ');
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

/** Headings of the sections that can be folded. */
export const DETAIL_SECTIONS = ['Tags', 'Raw Payload', 'Normalized Event'] as const;
export type DetailSection = (typeof DETAIL_SECTIONS)[number];

function isDetailSection(text: string): text is DetailSection {
  return DETAIL_SECTIONS.some((section) => section === text);
}

/** A detail view whose `folded` sections show only their heading and number of hidden lines. */
export function foldedDetail(
  blocks: readonly DetailBlock[],
  folded: ReadonlySet<DetailSection>,
): readonly DetailBlock[] {
  const shown: DetailBlock[] = [];
  let section: { heading: DetailBlock; hiddenLines: number } | undefined;
  const close = (): void => {
    if (section === undefined) return;
    const hidden = countWithNoun(section.hiddenLines, 'line');
    shown.push({ ...section.heading, text: `${section.heading.text}  ▸ ${hidden} folded` });
    section = undefined;
  };
  for (const block of blocks) {
    if (block.kind === 'section' && isDetailSection(block.text) && folded.has(block.text)) {
      section = { heading: block, hiddenLines: 0 };
    } else if (section === undefined) shown.push(block);
    else if (block.kind === 'gap') {
      close();
      shown.push(block);
    } else section.hiddenLines += lineCount(block.text);
  }
  close();
  return shown;
}

/** The foldable sections with the index of their heading's line and the end of their lines. */
export function sectionLines(
  blocks: readonly DetailBlock[],
): readonly { section: DetailSection; line: number; end: number }[] {
  const found: { section: DetailSection; line: number; end: number }[] = [];
  let line = 0;
  for (const { kind, text } of blocks) {
    const heading = text.split('  ▸ ', 1)[0] ?? '';
    const last = found.at(-1);
    if (kind === 'section' && isDetailSection(heading)) found.push({ section: heading, line, end: line + 1 });
    else if (last !== undefined && kind !== 'gap' && kind !== 'link' && last.end === line)
      last.end = line + lineCount(text);
    line += lineCount(text);
  }
  return found;
}

function lineCount(text: string): number {
  return text.split('\n').length;
}
