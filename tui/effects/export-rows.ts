import { printableJson } from '../../config/values/printable.js';
import { readPages } from '../../core/contract/read-pages.js';
import type { FailureReader } from '../../core/contract/reader.js';
import type { EventDetail, EventSearchPage } from '../../generated/reader-answers.js';
import { type CsvColumn, csvRecord, EVENT_CSV_COLUMNS, ISSUE_CSV_COLUMNS } from '../format/export/csv.js';

export interface ExportProgress {
  /** Number of yielded issues or events. */
  readonly written: number;
  /** Events that retention removed after they were listed. */
  readonly gone: number;
  /** Share of all events that was scanned, or share of the issues that was written, 0 to 1. */
  readonly share: number;
}

export type ExportFormat = 'ndjson' | 'csv';

interface ExportOptions {
  reader: FailureReader;
  /** Default: everything. */
  query?: string | undefined;
  format: ExportFormat;
  onProgress?: (progress: ExportProgress) => void;
}

export interface EventExportOptions extends ExportOptions {
  /** NDJSON: the normalized event instead of the raw payload. CSV has the normalized event in any case. */
  normalized?: boolean;
}

const PAGE_ROWS = 500;
/** Events that are read in parallel and held in memory. */
const EVENTS_AT_ONCE = 8;

/** Yields the matching issues as whole lines: NDJSON as in the reading API, or CSV with a row of headings. */
export async function* exportIssues(options: ExportOptions): AsyncGenerator<string> {
  const { reader, query, format, onProgress } = options;
  if (format === 'csv') yield headings(ISSUE_CSV_COLUMNS);
  let written = 0;
  for await (const page of readPages((cursor) => reader.listIssues({ limit: PAGE_ROWS, query, cursor }))) {
    for (const issue of page.issues) {
      yield format === 'csv' ? csvLine(ISSUE_CSV_COLUMNS, issue) : jsonLine(issue);
      written += 1;
    }
    const share = page.next_cursor === null ? 1 : written / Math.max(written, page.total);
    onProgress?.({ written, gone: 0, share });
  }
}

/** Yields events as lines, newest first and without later ones: raw payloads with `event_id` and `raw`, or normalized events. */
export async function* exportEvents(options: EventExportOptions): AsyncGenerator<string> {
  const { reader, query, format, onProgress } = options;
  if (format === 'csv') yield headings(EVENT_CSV_COLUMNS);
  let written = 0;
  let gone = 0;
  for await (const page of readPages((cursor) => reader.searchEvents({ limit: PAGE_ROWS, query, cursor }))) {
    const share = scannedShare(page);
    for (let start = 0; start < page.events.length; start += EVENTS_AT_ONCE) {
      const listed = page.events.slice(start, start + EVENTS_AT_ONCE);
      const details = await Promise.all(listed.map(({ event_id }) => reader.getEvent(event_id)));
      const events = details.filter((event) => event !== undefined);
      for (const event of events) yield eventLine(event, options);
      written += events.length;
      gone += listed.length - events.length;
      onProgress?.({ written, gone, share });
    }
    onProgress?.({ written, gone, share });
  }
}

function scannedShare({ next_cursor: nextCursor, scanned, total }: EventSearchPage): number {
  return nextCursor === null || total.events === 0 ? 1 : Math.min(1, scanned.events / total.events);
}

function eventLine(event: EventDetail, { format, normalized = false }: EventExportOptions): string {
  if (format === 'csv') return csvLine(EVENT_CSV_COLUMNS, event);
  if (normalized) return jsonLine(event.normalized);
  const { path, line, payload } = event.raw;
  return jsonLine({ ...payload, event_id: event.event_id, raw: { path, line } });
}

/** Yields the matching rejected payloads with their reasons as NDJSON, newest first. */
export async function* exportRejected({ reader, query = '', onProgress }: ExportOptions): AsyncGenerator<string> {
  let written = 0;
  for await (const page of readPages((cursor) => reader.listRejected({ limit: PAGE_ROWS, query, cursor }))) {
    for (const { id: _id, ...record } of page.rejected) yield jsonLine(record);
    written += page.rejected.length;
    onProgress?.({ written, gone: 0, share: page.next_cursor === null ? 1 : 0 });
  }
}

function jsonLine(document: object): string {
  return `${printableJson(JSON.stringify(document))}\n`;
}

function headings<Row>(columns: readonly CsvColumn<Row>[]): string {
  return csvRecord(columns.map(({ heading }) => heading));
}

function csvLine<Row>(columns: readonly CsvColumn<Row>[], row: Row): string {
  return csvRecord(columns.map(({ value }) => value(row)));
}
