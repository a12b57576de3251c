import { constants, open, stat } from 'node:fs/promises';
import { isAbsolute, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { cutText } from '../../core/event/text.js';

export interface SourceLinesOptions {
  /** The file as a frame names it: a path of this or another machine, or an address. */
  path: string;
  /** One-based. */
  line: number;
  /** Lines before and behind it, default 3, at most 100. */
  around?: number;
  /** Absolute folders under which sources lie, default the folder of this process. */
  roots?: readonly string[];
}

/** Lines of a local file, or why they cannot be shown. */
export type SourceLines =
  | {
      readonly kind: 'lines';
      /** The file that was read: perhaps another version, or another file of the same name. */
      readonly path: string;
      /** One-based number of the first of `lines`. */
      readonly firstLine: number;
      /** Text from outside, each line cut to 1,000 UTF-16 units. */
      readonly lines: readonly string[];
    }
  | {
      readonly kind: 'none';
      /** One sentence for people, without the path. */
      readonly why: string;
    };

const DEFAULT_AROUND = 3;
const MAX_AROUND = 100;
const MAX_FILE_BYTES = 2 * 1024 * 1024;
const MAX_LINE_LENGTH = 1_000;
/** No terminal that a path happens to name becomes ours, and no pipe makes us wait. */
const OPEN_FLAGS = constants.O_RDONLY | constants.O_NONBLOCK | constants.O_NOCTTY;

/** Reads the lines around a frame's line where its file is reachable here. Reads only regular files of text, of at most 2 MiB; never throws. */
export async function readSourceLines(options: SourceLinesOptions): Promise<SourceLines> {
  const { path, line, around = DEFAULT_AROUND, roots = [process.cwd()] } = options;
  if (!Number.isSafeInteger(line) || line < 1) return none('the frame has no line');
  for (const place of sourcePaths(path, roots)) {
    const found = await readText(place);
    if (found === undefined) continue;
    if (found.text === undefined) return none(found.why);
    const lines = found.text.split(/\r\n|\n|\r/);
    if (line > lines.length) return none(`the file here has only ${lines.length} lines`);
    const reach = Math.min(MAX_AROUND, Math.max(0, Math.floor(around)));
    const first = Math.max(1, line - reach);
    const shown = lines.slice(first - 1, line + reach).map((one) => cutText(one, MAX_LINE_LENGTH));
    return { kind: 'lines', path: place, firstLine: first, lines: shown };
  }
  return none('the file is not on this machine');
}

/** Undefined if the path is not a regular file. */
async function readText(path: string): Promise<{ text: string } | { text?: never; why: string } | undefined> {
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
      if (size > MAX_FILE_BYTES) return { why: 'the file here is larger than 2 MiB' };
      const buffer = Buffer.alloc(size);
      const { bytesRead } = await handle.read(buffer, 0, size, 0);
      const bytes = buffer.subarray(0, bytesRead);
      return bytes.includes(0) ? { why: 'the file here is not text' } : { text: bytes.toString('utf8') };
    } finally {
      await handle.close();
    }
  } catch {
    return { why: 'the file here cannot be read' };
  }
}

function none(why: string): SourceLines {
  return { kind: 'none', why };
}

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
