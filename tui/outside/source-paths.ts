import { isAbsolute, join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** UTF-16 units of a path that is looked for. */
const MAX_PATH = 4_096;
/** Folders under which is looked. */
const MAX_ROOTS = 8;
/** Starts of a path that are left away, one after the other. */
const MAX_CUTS = 24;
/** Parts that a path of another machine must share with one of ours: a file of the same name alone is too often another one. */
const MIN_SHARED_PARTS = 2;

const WEB_ADDRESS = /^[a-z][a-z0-9+.-]{0,31}:\/\/[^/]*/i;
const WINDOWS_START = /^[a-z]:[\\/]/i;

/**
 * Where the file of a frame may lie here, the best guess first: as it is, under a root, or with the start of it left away (`/srv/api/src/cart/x.js` as `src/cart/x.js`).
 * At most some 200 paths; empty for what names no file.
 */
export function sourcePaths(named: string, roots: readonly string[]): string[] {
  if (named === '' || named.length > MAX_PATH || named.includes('\0')) return [];
  const path = pathOf(named);
  if (path === undefined) return [];
  const places = roots.filter(isAbsolute).slice(0, MAX_ROOTS);
  const found = path.isOfThisForm ? asItIs(path.text, places) : [];
  const parts = path.text.split(/[\\/]+/).filter((part) => part !== '' && part !== '.');
  // Nothing may climb out of a root.
  if (parts.includes('..')) return found;
  const least = Math.min(MIN_SHARED_PARTS, parts.length);
  for (let cut = 0; cut <= Math.min(MAX_CUTS, parts.length - least); cut += 1) {
    for (const root of places) found.push(join(root, ...parts.slice(cut)));
  }
  return [...new Set(found)];
}

function asItIs(path: string, roots: readonly string[]): string[] {
  return isAbsolute(path) ? [path] : roots.map((root) => join(root, path));
}

/** The path in an address; whether it has the form of paths of this machine. */
function pathOf(named: string): { text: string; isOfThisForm: boolean } | undefined {
  if (named.startsWith('file://')) {
    try {
      return { text: fileURLToPath(named), isOfThisForm: true };
    } catch {
      return undefined;
    }
  }
  const address = WEB_ADDRESS.exec(named)?.[0];
  if (address !== undefined) {
    const path = named.slice(address.length).replace(/[?#].*$/s, '');
    return { text: path, isOfThisForm: false };
  }
  return WINDOWS_START.test(named)
    ? { text: named.slice(2), isOfThisForm: false }
    : { text: named, isOfThisForm: true };
}
