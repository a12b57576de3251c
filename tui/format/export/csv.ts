import type { JsonValue } from '../../../core/event/json.js';
import { DISPLAYED_FIELDS } from '../../../generated/event-fields.js';
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
  'issue_id',
  'status',
  'regressed',
  'is_new',
  'spiking',
  'level',
  'type',
  'app',
  'service',
  'title',
  'culprit',
  'error_name',
  'message',
  'count',
  'removed_events',
  'users',
  'first_seen',
  'last_seen',
  'environments',
  'releases',
  'first_release',
  'last_release',
  'regressed_in',
  'assignee',
  'snooze',
  'resolved_in',
  'merged',
  'fingerprint',
] as const;

/** The columns of exported issues, named as in the reading API. */
export const ISSUE_CSV_COLUMNS = ISSUE_FIELDS.map((heading): CsvColumn<IssueSummary> => {
  return { heading, value: ({ [heading]: value }) => (Array.isArray(value) ? value.join(SEPARATOR) : value) };
});

/** The columns of exported events: the normalized event and the position of its raw line; `tags` and `extra` are JSON. */
export const EVENT_CSV_COLUMNS: readonly CsvColumn<EventDetail>[] = [
  { heading: 'event_id', value: ({ event_id }) => event_id },
  { heading: 'issue_id', value: ({ issue_id }) => issue_id },
  ...DISPLAYED_FIELDS.map((heading): CsvColumn<EventDetail> => {
    return { heading, value: ({ normalized }) => plainOrJson(normalized[heading]) };
  }),
  { heading: 'raw_path', value: ({ raw }) => raw.path },
  { heading: 'raw_line', value: ({ raw }) => raw.line },
];

function plainOrJson(value: JsonValue): CsvValue {
  return typeof value === 'object' && value !== null ? JSON.stringify(value) : value;
}
