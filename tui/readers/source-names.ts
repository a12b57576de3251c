import { basename, resolve } from 'node:path';
import { parseCollectorUrl } from '../preferences/collector-url.js';

/** A collector's address without the credentials that it may hold. Throws Fault `URL_INVALID`. */
export function urlAddress(url: string): string {
  const { origin, pathname } = parseCollectorUrl(url);
  return origin + (pathname === '/' ? '' : pathname);
}

/** The name of a collector where nobody gave one: host and port. Throws Fault `URL_INVALID`. */
export function urlName(url: string): string {
  return parseCollectorUrl(url).host;
}

/** The name of a folder where nobody gave one: its last name. */
export function folderName(directory: string): string {
  const whole = resolve(directory);
  return basename(whole) || whole;
}

/** Names that differ: the second of a name is followed by ` 2`, and so on. */
export function distinctNames(names: readonly string[]): string[] {
  const taken = new Set<string>();
  return names.map((name) => {
    let distinct = name;
    for (let number = 2; taken.has(distinct); number += 1) distinct = `${name} ${number}`;
    taken.add(distinct);
    return distinct;
  });
}
