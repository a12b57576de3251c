import { execAt } from './characters.js';
import type { ReportFinding } from './finding.js';
import { isPlainValue } from './plain-values.js';
import { endOfQuoted, quoteAt } from './quotes.js';
import { secretName } from './secret-names.js';

const IDENTIFIED_BY = /identified (?:with [\w'"`]{1,64} )?(?:by|as) (?:password )?/iy;
const COLUMNS = /insert into [\w.`"[\]\\]{1,128} ?\(([^()]{1,2000})\)\s{0,8}values?\s{0,8}(?=\()/iy;
/** Units of rows that are searched. */
const MAX_ROWS = 16 * 1024;

/** Finds the password after `IDENTIFIED BY`; returns the offset to continue from. */
export function findIdentifiedBy(text: string, at: number, report: ReportFinding): number {
  const from = at + (execAt(IDENTIFIED_BY, text, at)?.[0].length ?? 10);
  const quote = quoteAt(text, from);
  if (quote === undefined) return from;
  const start = from + quote.length;
  const end = endOfQuoted(text, start, quote, Math.min(text.length, start + MAX_ROWS));
  if (!isPlainValue(text.slice(start, Math.min(end, start + 129)))) report(start, end, 'passwords');
  return end;
}

/** Finds quoted values of columns with names of secrets: `INSERT INTO users (name, password) VALUES ('a', 'x')`. */
export function findInsertedSecrets(text: string, at: number, report: ReportFinding): number {
  const columns = execAt(COLUMNS, text, at);
  const from = at + (columns?.[0].length ?? 'insert into '.length);
  const names = (columns?.[1] ?? '').split(',').map((name) => secretName(name.replace(/["'`[\]\\\s]/g, '')));
  if (names.every((name) => name === undefined)) return from;
  const most = Math.min(text.length, from + MAX_ROWS);
  const place = new RowPlace();
  for (let index = from; index < most; index += 1) {
    const sign = text[index] ?? '';
    if (sign === ';') return index;
    place.pass(sign);
    const quote = quoteAt(text, index);
    if (quote === undefined) continue;
    if (!place.isInRow) return index;
    const start = index + quote.length;
    const end = endOfQuoted(text, start, quote, most);
    const name = names[place.column];
    if (name !== undefined && !isPlainValue(text.slice(start, Math.min(end, start + 129)))) {
      report(start, end, name.kind);
    }
    index = end + quote.length - 1;
  }
  return most;
}

/** The column in rows such as `('a', f(1, 2)), ('b', 'c')`. */
class RowPlace {
  column = 0;
  #depth = 0;

  get isInRow(): boolean {
    return this.#depth > 0;
  }

  pass(sign: string): void {
    if (sign === '(') {
      this.#depth += 1;
      if (this.#depth === 1) this.column = 0;
    } else if (sign === ')') this.#depth -= 1;
    else if (sign === ',' && this.#depth === 1) this.column += 1;
  }
}
