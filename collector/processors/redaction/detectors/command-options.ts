import type { ReportFinding } from './finding.js';
import { isPlainValue } from './plain-values.js';
import { endOfQuoted } from './quotes.js';

/** `-u name:password` and `--user name:password`. */
const USER_AND_PASSWORD =
  /(?:(?<=[\s"'`[])-u|--(?:proxy-)?user)(?:[ =]|\\{0,7}["'],\s{0,4}\\{0,7}["'])?["']?([\w.@+-]{1,64}):([^\s"'`\\]{1,200})/iy;
/** `-u name -p password`, `-uname -ppassword`. */
const USER_THEN_PASSWORD = /(?<=[\s"'`[])-u ?["']?[\w.@+-]{1,64}["']? -p ?["']?([^\s"'`\\-][^\s"'`\\]{0,200})/y;
/** What also stands behind `-u` and `-p`: numbers of users, groups and ports, places. */
const NO_PASSWORD = /^[\d.:,/-]+(?:\/(?:tcp|udp))?$|^[/.~]/;

/** Commands by the short option whose value is a password; group 1 of the option is a quote. Behind `-p ` the first ones have another argument. */
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
/** Units in front of an option in which the name of its command is looked for. */
const COMMAND_LENGTH = 120;

/** Finds the password behind a short option that means one for the command in front of it; answers where it ends. */
function findToolPassword(text: string, start: number, found: ReportFinding): number | undefined {
  const before = text.slice(Math.max(0, start - COMMAND_LENGTH), start);
  const command = before.slice(1 + Math.max(...['\n', ';', '|', '&'].map((sign) => before.lastIndexOf(sign))));
  for (const [option, tool] of TOOLS) {
    option.lastIndex = start;
    const written = option.exec(text);
    if (written === null || !tool.test(command)) continue;
    const from = start + written[0].length;
    const rest = text.slice(from, from + 256);
    const quote = written[1] ?? '';
    const length = quote === '' ? rest.search(/[\s"'`\\]|$/) : endOfQuoted(rest, 0, quote, rest.length);
    const value = rest.slice(0, length);
    if (value === '' || value.startsWith('-') || isPlainValue(value)) continue;
    found(from, from + length, 'passwords');
    return from + length;
  }
  return undefined;
}

/** Finds passwords among the options of commands that have a user beside them, `at` being where the option begins. Answers where the next may begin. */
export function findOptionPasswords(text: string, at: number, found: ReportFinding): number {
  const start = text[at] === '-' ? at : at + 1;
  USER_AND_PASSWORD.lastIndex = start;
  const both = USER_AND_PASSWORD.exec(text);
  if (both !== null) {
    const [whole, user, password = ''] = both;
    const end = start + whole.length;
    if (password !== user && isPassword(password)) found(end - password.length, end, 'passwords');
    return end;
  }
  USER_THEN_PASSWORD.lastIndex = start;
  const then = USER_THEN_PASSWORD.exec(text);
  if (then === null) return findToolPassword(text, start, found) ?? at + 3;
  const [whole, password = ''] = then;
  const end = start + whole.length;
  if (isPassword(password)) found(end - password.length, end, 'passwords');
  return end;
}

function isPassword(text: string): boolean {
  return !NO_PASSWORD.test(text) && !isPlainValue(text);
}
