import type { Found } from './finding.js';
import { isPlainValue } from './plain-values.js';

/** `-u name:password` and `--user name:password`. */
const USER_AND_PASSWORD =
  /(?:(?<=[\s"'`[])-u|--(?:proxy-)?user)(?:[ =]|\\{0,7}["'],\s{0,4}\\{0,7}["'])?["']?([\w.@+-]{1,64}):([^\s"'`\\]{1,200})/iy;
/** `-u name -p password`, `-uname -ppassword`. */
const USER_THEN_PASSWORD = /(?<=[\s"'`[])-u ?["']?[\w.@+-]{1,64}["']? -p ?["']?([^\s"'`\\-][^\s"'`\\]{0,200})/y;
/** What also stands behind `-u` and `-p`: numbers of users, groups and ports, places. */
const NO_PASSWORD = /^[\d.:,/-]+(?:\/(?:tcp|udp))?$|^[/.~]/;

/** Finds passwords among the options of commands that have a user beside them, `at` being where the option begins. Answers where the next may begin. */
export function findOptionPasswords(text: string, at: number, found: Found): number {
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
  if (then === null) return at + 3;
  const [whole, password = ''] = then;
  const end = start + whole.length;
  if (isPassword(password)) found(end - password.length, end, 'passwords');
  return end;
}

function isPassword(text: string): boolean {
  return !NO_PASSWORD.test(text) && !isPlainValue(text);
}
