import { constants, open, stat } from 'node:fs/promises';
import { cutText } from '../../core/event/text.js';
import { sourcePaths } from '../../core/source-code/source-paths.js';

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
