import { constants, open, stat } from 'node:fs/promises';
import { isAbsolute, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { cutText } from '../../core/event/text.js';

export interface SourceLinesOptions {
  /** The file of a frame: a path of this or another machine, or a URL. */
  path: string;
  /** One-based. */
  line: number;
  /** Lines before and after it, default 3. */
  around?: number;
  /** Absolute folders with sources, default the working directory. */
  roots?: readonly string[];
}

/** Lines of a source file around a frame. */
export interface SourceExcerpt {
  /** The file that was read; it can be another version, or another file of the same name. */
  readonly path: string;
  /** One-based number of the first line. */
  readonly firstLine: number;
  /** Text from outside, each line cut to 1,000 UTF-16 units. */
  readonly lines: readonly string[];
}

const DEFAULT_AROUND = 3;
const MAX_FILE_BYTES = 2 * 1024 * 1024;
const MAX_LINE_LENGTH = 1_000;
/** A terminal must not become the controlling one, and a pipe must not block. */
const OPEN_FLAGS = constants.O_RDONLY | constants.O_NONBLOCK | constants.O_NOCTTY;

/** Reads the lines around a frame's line from a regular text file of at most 2 MiB on this machine; undefined without one. Never throws. */
export async function readSourceLines(options: SourceLinesOptions): Promise<SourceExcerpt | undefined> {
  const { path, line, around = DEFAULT_AROUND, roots = [process.cwd()] } = options;
  if (!Number.isSafeInteger(line) || line < 1) return undefined;
  for (const candidate of sourcePaths(path, roots)) {
    const lines = await readLines(candidate);
    if (lines === undefined) continue;
    if (line > lines.length) return undefined;
    const first = Math.max(1, line - around);
    const shown = lines.slice(first - 1, line + around).map((one) => cutText(one, MAX_LINE_LENGTH));
    return { path: candidate, firstLine: first, lines: shown };
  }
  return undefined;
}

/** Undefined if the path is not a regular file; none if it is too large, not a text, or cannot be read. */
async function readLines(path: string): Promise<readonly string[] | undefined> {
  try {
    // Opening a device or a pipe can have side effects.
    if (!(await stat(path)).isFile()) return undefined;
  } catch {
    return undefined;
  }
  try {
    const handle = await open(path, OPEN_FLAGS);
    try {
      const opened = await handle.stat();
      if (!opened.isFile()) return undefined;
      const { size } = opened;
      if (size > MAX_FILE_BYTES) return [];
      const buffer = Buffer.alloc(size);
      const { bytesRead } = await handle.read(buffer, 0, size, 0);
      const bytes = buffer.subarray(0, bytesRead);
      return bytes.includes(0) ? [] : bytes.toString('utf8').split(/\r\n|\n|\r/);
    } finally {
      await handle.close();
    }
  } catch {
    return [];
  }
}

/** UTF-16 units. */
const MAX_PATH = 4_096;
const MAX_ROOTS = 8;
/** Maximum of leading components that are removed from a path. */
const MAX_CUTS = 24;
/** Trailing components that must match: a file with only the same name is too often another one. */
const MIN_SHARED_COMPONENTS = 2;

const WEB_ADDRESS = /^[a-z][a-z0-9+.-]{0,31}:\/\/[^/]*/i;
const WINDOWS_START = /^[a-z]:[\\/]/i;

/** At most some 200 candidates for the file of a frame, best first: as named, under a root, and without leading components. */
export function sourcePaths(named: string, roots: readonly string[]): string[] {
  if (named === '' || named.length > MAX_PATH || named.includes('\0')) return [];
  const path = pathOf(named);
  if (path === undefined) return [];
  const folders = roots.filter(isAbsolute).slice(0, MAX_ROOTS);
  const whole = isAbsolute(path.text) ? [path.text] : folders.map((root) => join(root, path.text));
  const found = path.isLocal ? whole : [];
  const components = path.text.split(/[\\/]+/).filter((component) => component !== '' && component !== '.');
  // A path must not leave its root.
  if (components.includes('..')) return found;
  const least = Math.min(MIN_SHARED_COMPONENTS, components.length);
  for (let cut = 0; cut <= Math.min(MAX_CUTS, components.length - least); cut += 1) {
    for (const root of folders) found.push(join(root, ...components.slice(cut)));
  }
  return [...new Set(found)];
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
