import type { FailureReader } from '../../core/contract/reader.js';
import type { EventId } from '../../core/event/ids.js';
import type { EventDetail } from '../../generated/reader-answers.js';
import { type CsvColumn, csvRecord, EVENT_CSV_COLUMNS, ISSUE_CSV_COLUMNS } from '../format/export/csv.js';
import { escapeHidden } from '../text/json-text.js';

/** How far an export is. */
export interface ExportProgress {
  /** Issues or events that were handed on. */
  readonly written: number;
  /** Events that retention took away between being listed and being read. */
  readonly gone: number;
  /** Of the events that there are, the share that was looked at, 0 to 1; of issues, the share that was written. */
  readonly share: number;
}

export type ExportFormat = 'ndjson' | 'csv';

interface ExportOptions {
  reader: FailureReader;
  /** Absent or blank: everything. */
  query?: string | undefined;
  format: ExportFormat;
  onProgress?: (progress: ExportProgress) => void;
}

export interface EventExportOptions extends ExportOptions {
  /** NDJSON: the normalized event instead of the raw payload. CSV has the normalized event in any case. */
  normalized?: boolean;
}

const PAGE_ROWS = 500;
/** Events that are read at the same time; more would only hold more of them in memory. */
const EVENTS_AT_ONCE = 8;

/** The issues that match, as whole lines of text: NDJSON as the reading API lists them, or CSV with a row of headings. Ends early when nobody asks for more. */
export async function* exportIssues(options: ExportOptions): AsyncGenerator<string> {
  const { reader, query, format, onProgress } = options;
  if (format === 'csv') yield headings(ISSUE_CSV_COLUMNS);
  let cursor: string | null = null;
  let written = 0;
  do {
    const page: Awaited<ReturnType<FailureReader['listIssues']>> = await reader.listIssues({
      limit: PAGE_ROWS,
      ...(query !== undefined && { query }),
      ...(cursor !== null && { cursor }),
    });
    for (const issue of page.issues) {
      yield format === 'csv' ? csvLine(ISSUE_CSV_COLUMNS, issue) : jsonLine(issue);
      written += 1;
    }
    cursor = page.next_cursor;
    onProgress?.({ written, gone: 0, share: cursor === null ? 1 : written / Math.max(written, page.total) });
  } while (cursor !== null);
}

/**
 * The events that match, newest arrival first, as whole lines of text. NDJSON: the keys of the raw payload, and beside them `event_id` and `raw` with its `path` and zero-based `line`;
 * or the normalized event. Events that arrive meanwhile are left out.
 */
export async function* exportEvents(options: EventExportOptions): AsyncGenerator<string> {
  const { reader, query, format, normalized = false, onProgress } = options;
  const lineOf = (event: EventDetail): string => {
    if (format === 'csv') return csvLine(EVENT_CSV_COLUMNS, event);
    if (normalized) return jsonLine(event.normalized);
    const { path, line, payload } = event.raw;
    return jsonLine({ ...payload, event_id: event.event_id, raw: { path, line } });
  };
  if (format === 'csv') yield headings(EVENT_CSV_COLUMNS);
  let cursor: string | null = null;
  let written = 0;
  let gone = 0;
  do {
    const page: Awaited<ReturnType<FailureReader['searchEvents']>> = await reader.searchEvents({
      limit: PAGE_ROWS,
      ...(query !== undefined && { query }),
      ...(cursor !== null && { cursor }),
    });
    cursor = page.next_cursor;
    const { scanned, total } = page;
    const share = cursor === null || total.events === 0 ? 1 : Math.min(1, scanned.events / total.events);
    const ids = page.events.map(({ event_id }) => event_id);
    for (let start = 0; start < ids.length; start += EVENTS_AT_ONCE) {
      for (const event of await readTogether(reader, ids.slice(start, start + EVENTS_AT_ONCE))) {
        if (event === undefined) gone += 1;
        else yield lineOf(event);
        if (event !== undefined) written += 1;
      }
      onProgress?.({ written, gone, share });
    }
    onProgress?.({ written, gone, share });
  } while (cursor !== null);
}

function readTogether(reader: FailureReader, ids: readonly EventId[]): Promise<(EventDetail | undefined)[]> {
  return Promise.all(ids.map((id) => reader.getEvent(id)));
}

function jsonLine(document: object): string {
  return `${escapeHidden(JSON.stringify(document))}\n`;
}

function headings<Row>(columns: readonly CsvColumn<Row>[]): string {
  return csvRecord(columns.map(({ heading }) => heading));
}

function csvLine<Row>(columns: readonly CsvColumn<Row>[], row: Row): string {
  return csvRecord(columns.map(({ value }) => value(row)));
}
