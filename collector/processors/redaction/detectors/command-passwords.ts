import { execAt } from './characters.js';
import type { ReportFinding } from './finding.js';
import { isPlainValue } from './plain-values.js';
import { endOfQuoted, quoteAt } from './quotes.js';
import { secretName } from './secret-names.js';

/** `-u name:password` and `--user name:password`. */
const USER_AND_PASSWORD =
  /(?:(?<=[\s"'`[])-u|--(?:proxy-)?user)(?:[ =]|\\{0,7}["'],\s{0,4}\\{0,7}["'])?["']?([\w.@+-]{1,64}):([^\s"'`\\]{1,200})/iy;
/** `-u name -p password`, `-uname -ppassword`. */
const USER_THEN_PASSWORD = /(?<=[\s"'`[])-u ?["']?[\w.@+-]{1,64}["']? -p ?["']?([^\s"'`\\-][^\s"'`\\]{0,200})/y;
/** Other values of `-u` and `-p`: ids of users and groups, ports, paths. */
const NOT_PASSWORD = /^[\d.:,/-]+(?:\/(?:tcp|udp))?$|^[/.~]/;

/** Short options whose value is a password, with their commands; group 1 is a quote. `-p` with a blank has another meaning for the first ones. */
const TOOLS: readonly (readonly [option: RegExp, tool: RegExp])[] = [
  [/-p(["']?)(?=\S)/y, /\b(?:mysql\w*|mariadb[\w-]*|7za?|unrar|sshpass)\b/],
  [
    /-p(?: |["'], ?)(["']?)/y,
    /\b(?:sshpass|mongo\w*|cqlsh|rdesktop|steghide|(?:docker|podman|helm|registry|oc|az|skopeo|buildah) login)\b/,
  ],
  [/-P ?(["']?)/y, /\b(?:sqlcmd|bcp|osql|unzip|zip|ipmitool)\b/],
  [/-a(?: |["'], ?)(["']?)/y, /\bredis-cli\b/],
  [/-w(?: |["'], ?)?(["']?)/y, /\bldap\w+\b/],
  [/-[AX] ?(["']?)/y, /\bsnmp\w+\b/],
];
/** How far before an option its command is searched, UTF-16 units. */
const COMMAND_LENGTH = 120;

function findToolPassword(text: string, start: number, report: ReportFinding): number | undefined {
  const before = text.slice(Math.max(0, start - COMMAND_LENGTH), start);
  const command = before.slice(1 + Math.max(...['\n', ';', '|', '&'].map((sign) => before.lastIndexOf(sign))));
  for (const [option, tool] of TOOLS) {
    const written = execAt(option, text, start);
    if (written === null || !tool.test(command)) continue;
    const from = start + written[0].length;
    const rest = text.slice(from, from + 256);
    const quote = written[1] ?? '';
    const length = quote === '' ? rest.search(/[\s"'`\\]|$/) : endOfQuoted(rest, 0, quote, rest.length);
    const value = rest.slice(0, length);
    if (value === '' || value.startsWith('-') || isPlainValue(value)) continue;
    report(from, from + length, 'passwords');
    return from + length;
  }
  return undefined;
}

/** Finds the password in the options of a command; `at` is the offset of the option. Returns the offset to continue from. */
export function findOptionPasswords(text: string, at: number, report: ReportFinding): number {
  const start = text[at] === '-' ? at : at + 1;
  const both = execAt(USER_AND_PASSWORD, text, start);
  if (both !== null) {
    const [whole, user, password = ''] = both;
    const end = start + whole.length;
    if (password !== user && isPassword(password)) report(end - password.length, end, 'passwords');
    return end;
  }
  const then = execAt(USER_THEN_PASSWORD, text, start);
  if (then === null) return findToolPassword(text, start, report) ?? at + 3;
  const [whole, password = ''] = then;
  const end = start + whole.length;
  if (isPassword(password)) report(end - password.length, end, 'passwords');
  return end;
}

function isPassword(text: string): boolean {
  return !NOT_PASSWORD.test(text) && !isPlainValue(text);
}

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
