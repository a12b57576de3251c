/** A value of a cell; null is an empty cell. */
export type CsvValue = string | number | boolean | null;

/** Spreadsheets take a text that begins like this for a formula, the wide forms in some languages; blanks and invisible characters before it may be trimmed. */
const LIKE_FORMULA = /^(?:[\t\r]|[\s\p{Cc}\p{Cf}]*[=+\-@＝＋－＠])/u;
const TO_BE_QUOTED = /[",\r\n]/;

/**
 * One record as RFC 4180 has it, ended by CR LF. A text that a spreadsheet would take for a formula gets an apostrophe before it. Control characters stay: who prints it to a terminal
 * makes them visible.
 */
export function csvRecord(values: readonly CsvValue[]): string {
  return `${values.map(cell).join(',')}\r\n`;
}

function cell(value: CsvValue): string {
  if (value === null) return '';
  if (typeof value !== 'string') return String(value);
  const text = LIKE_FORMULA.test(value) ? `'${value}` : value;
  return TO_BE_QUOTED.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
