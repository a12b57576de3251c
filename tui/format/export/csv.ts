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

/** The columns of exported issues, named as in the reading API. */
export const ISSUE_CSV_COLUMNS: readonly CsvColumn<IssueSummary>[] = [
  { heading: 'issue_id', value: ({ issue_id }) => issue_id },
  { heading: 'status', value: ({ status }) => status },
  { heading: 'regressed', value: ({ regressed }) => regressed },
  { heading: 'is_new', value: ({ is_new }) => is_new },
  { heading: 'spiking', value: ({ spiking }) => spiking },
  { heading: 'level', value: ({ level }) => level },
  { heading: 'type', value: ({ type }) => type },
  { heading: 'app', value: ({ app }) => app },
  { heading: 'service', value: ({ service }) => service },
  { heading: 'title', value: ({ title }) => title },
  { heading: 'culprit', value: ({ culprit }) => culprit },
  { heading: 'error_name', value: ({ error_name }) => error_name },
  { heading: 'message', value: ({ message }) => message },
  { heading: 'count', value: ({ count }) => count },
  { heading: 'removed_events', value: ({ removed_events }) => removed_events },
  { heading: 'users', value: ({ users }) => users },
  { heading: 'first_seen', value: ({ first_seen }) => first_seen },
  { heading: 'last_seen', value: ({ last_seen }) => last_seen },
  { heading: 'environments', value: ({ environments }) => environments.join(SEPARATOR) },
  { heading: 'releases', value: ({ releases }) => releases.join(SEPARATOR) },
  { heading: 'first_release', value: ({ first_release }) => first_release },
  { heading: 'last_release', value: ({ last_release }) => last_release },
  { heading: 'regressed_in', value: ({ regressed_in }) => regressed_in },
  { heading: 'assignee', value: ({ assignee }) => assignee },
  { heading: 'snooze', value: ({ snooze }) => snooze },
  { heading: 'resolved_in', value: ({ resolved_in }) => resolved_in },
  { heading: 'merged', value: ({ merged }) => merged.join(SEPARATOR) },
  { heading: 'fingerprint', value: ({ fingerprint }) => fingerprint },
];

/** The columns of exported events: the normalized event and the position of its raw line; `tags` and `extra` are JSON. */
export const EVENT_CSV_COLUMNS: readonly CsvColumn<EventDetail>[] = [
  { heading: 'event_id', value: ({ event_id }) => event_id },
  { heading: 'issue_id', value: ({ issue_id }) => issue_id },
  { heading: 'timestamp', value: ({ normalized }) => normalized.timestamp },
  { heading: 'level', value: ({ normalized }) => normalized.level },
  { heading: 'type', value: ({ normalized }) => normalized.type },
  { heading: 'app', value: ({ normalized }) => normalized.app },
  { heading: 'service', value: ({ normalized }) => normalized.service },
  { heading: 'env', value: ({ normalized }) => normalized.env },
  { heading: 'release', value: ({ normalized }) => normalized.release },
  { heading: 'error_name', value: ({ normalized }) => normalized.error_name },
  { heading: 'message', value: ({ normalized }) => normalized.message },
  { heading: 'route', value: ({ normalized }) => normalized.route },
  { heading: 'method', value: ({ normalized }) => normalized.method },
  { heading: 'status_code', value: ({ normalized }) => normalized.status_code },
  { heading: 'user_id', value: ({ normalized }) => normalized.user_id },
  { heading: 'request_id', value: ({ normalized }) => normalized.request_id },
  { heading: 'session_id', value: ({ normalized }) => normalized.session_id },
  { heading: 'fingerprint', value: ({ normalized }) => normalized.fingerprint },
  { heading: 'stack', value: ({ normalized }) => normalized.stack },
  { heading: 'tags', value: ({ normalized }) => JSON.stringify(normalized.tags) },
  { heading: 'extra', value: ({ normalized }) => JSON.stringify(normalized.extra) },
  { heading: 'raw_path', value: ({ raw }) => raw.path },
  { heading: 'raw_line', value: ({ raw }) => raw.line },
];
