import { isAbsolute, join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** UTF-16 units. */
const MAX_PATH = 4_096;
const MAX_ROOTS = 8;
/** Maximum of leading components that are removed from a path. */
const MAX_CUTS = 24;
/** Trailing components that must match: a file with only the same name is too often another one. */
const MIN_SHARED_COMPONENTS = 2;

const WEB_ADDRESS = /^[a-z][a-z0-9+.-]{0,31}:\/\/[^/]*/i;
const WINDOWS_START = /^[a-z]:[\\/]/i;

/**
 * Candidates for the file of a frame on this machine, best first: the path itself, the path under a root, or without its leading components
 * (`/srv/api/src/cart/x.js` as `src/cart/x.js`). At most some 200 paths; empty if the name is not a path.
 */
export function sourcePaths(named: string, roots: readonly string[]): string[] {
  if (named === '' || named.length > MAX_PATH || named.includes('\0')) return [];
  const path = pathOf(named);
  if (path === undefined) return [];
  const folders = roots.filter(isAbsolute).slice(0, MAX_ROOTS);
  const candidates = path.isLocal ? withoutCuts(path.text, folders) : [];
  const components = path.text.split(/[\\/]+/).filter((component) => component !== '' && component !== '.');
  // A path must not leave its root.
  if (components.includes('..')) return candidates;
  const least = Math.min(MIN_SHARED_COMPONENTS, components.length);
  for (let cut = 0; cut <= Math.min(MAX_CUTS, components.length - least); cut += 1) {
    for (const root of folders) candidates.push(join(root, ...components.slice(cut)));
  }
  return [...new Set(candidates)];
}

function withoutCuts(path: string, roots: readonly string[]): string[] {
  return isAbsolute(path) ? [path] : roots.map((root) => join(root, path));
}

/** The path of a URL or name; `isLocal` if it can be a path of this machine. */
function pathOf(named: string): { text: string; isLocal: boolean } | undefined {
  if (named.startsWith('file://')) {
    try {
      return { text: fileURLToPath(named), isLocal: true };
    } catch {
      return undefined;
    }
  }
  const address = WEB_ADDRESS.exec(named)?.[0];
  if (address !== undefined) {
    const path = named.slice(address.length).replace(/[?#].*$/s, '');
    return { text: path, isLocal: false };
  }
  return WINDOWS_START.test(named) ? { text: named.slice(2), isLocal: false } : { text: named, isLocal: true };
}
