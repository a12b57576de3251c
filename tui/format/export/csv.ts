import type { EventDetail, IssueSummary } from '../../../generated/reader-answers.js';

/** Null is an empty cell. */
export type CsvValue = string | number | boolean | null;

/** Start of a text that spreadsheets evaluate as a formula; some accept wide forms and trim invisible characters. */
const LIKE_FORMULA = /^(?:[\t\r]|[\s\p{Cc}\p{Cf}]*[=+\-@＝＋－＠])/u;
const TO_BE_QUOTED = /[",\r\n]/;

/** A record of RFC 4180; an apostrophe stops spreadsheets from evaluating a text. Neutralise it before printing: control characters stay. */
export function csvRecord(values: readonly CsvValue[]): string {
  return `${values.map(cell).join(',')}\r\n`;
}

function cell(value: CsvValue): string {
  if (value === null) return '';
  if (typeof value !== 'string') return String(value);
  const text = LIKE_FORMULA.test(value) ? `'${value}` : value;
  return TO_BE_QUOTED.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

export interface CsvColumn<Row> {
  readonly heading: string;
  readonly value: (row: Row) => CsvValue;
}

/** Between names in one cell. */
const SEPARATOR = '; ';

const ISSUE_FIELDS = [
  ...(['issue_id', 'status', 'regressed', 'is_new', 'spiking', 'level', 'type', 'app', 'service'] as const),
  ...(['title', 'culprit', 'error_name', 'message', 'count', 'removed_events', 'users'] as const),
  ...(['first_seen', 'last_seen', 'environments', 'releases', 'first_release', 'last_release'] as const),
  ...(['regressed_in', 'assignee', 'snooze', 'resolved_in', 'merged', 'fingerprint'] as const),
];

/** The columns of exported issues, named as in the reading API. */
export const ISSUE_CSV_COLUMNS = ISSUE_FIELDS.map((heading): CsvColumn<IssueSummary> => {
  return { heading, value: ({ [heading]: value }) => (Array.isArray(value) ? value.join(SEPARATOR) : value) };
});

const EVENT_FIELDS = [
  ...(['timestamp', 'level', 'type', 'app', 'service', 'env', 'release', 'error_name', 'message', 'route'] as const),
  ...(['method', 'status_code', 'user_id', 'request_id', 'session_id', 'fingerprint', 'stack'] as const),
];

/** The columns of exported events: the normalized event and the position of its raw line; `tags` and `extra` are JSON. */
export const EVENT_CSV_COLUMNS: readonly CsvColumn<EventDetail>[] = [
  { heading: 'event_id', value: ({ event_id }) => event_id },
  { heading: 'issue_id', value: ({ issue_id }) => issue_id },
  ...EVENT_FIELDS.map((heading): CsvColumn<EventDetail> => ({ heading, value: (event) => event.normalized[heading] })),
  { heading: 'tags', value: ({ normalized }) => JSON.stringify(normalized.tags) },
  { heading: 'extra', value: ({ normalized }) => JSON.stringify(normalized.extra) },
  { heading: 'raw_path', value: ({ raw }) => raw.path },
  { heading: 'raw_line', value: ({ raw }) => raw.line },
];
