import type { FailureReader } from '../../core/contract/reader.js';
import { Fault } from '../../core/event/fault.js';
import { writeExportFile } from '../effects/export-file.js';
import { type ExportFormat, type ExportProgress, exportEvents, exportIssues } from '../effects/export-rows.js';
import { fullCount } from '../text/counts.js';
import { neutralise } from '../text/visible.js';
import { runPrinting } from './run-printing.js';
import { listenForStop, type Stopping } from './stopping.js';
import { print, type TextOutput } from './text-output.js';

export interface ExportOptions {
  reader: FailureReader;
  /** Absent: everything. */
  query?: string | undefined;
  /** Issues instead of events, default false. */
  isOfIssues?: boolean | undefined;
  /** Normalized events instead of raw payloads, default false. */
  normalized?: boolean | undefined;
  format: ExportFormat;
  /** A file to be made; absent: standard output. */
  output?: string | undefined;
  /** Whether an existing file is replaced, default false. */
  force?: boolean | undefined;
  stdout: TextOutput;
  stderr: TextOutput;
  /** Default: this process. */
  signals?: NodeJS.EventEmitter | undefined;
}

const CLEAR_LINE = '\r\u001b[K';
const DRAW_EVERY_MS = 100;
/** What is handed to standard output at once. */
const BLOCK_LENGTH = 64 * 1024;

/** Writes all issues or events that match to standard output or a file, with progress on standard error where it alone is a terminal. Answers the exit code. */
export async function runExport(options: ExportOptions): Promise<number> {
  const { output, stdout, stderr } = options;
  const stopping = listenForStop(stdout, options.signals);
  const isWatched = stderr.isTTY === true && (output !== undefined || stdout.isTTY !== true);
  let last: ExportProgress = { written: 0, gone: 0, share: 0 };
  let drawnAtMs = Number.NEGATIVE_INFINITY;
  const onProgress = (progress: ExportProgress): void => {
    last = progress;
    if (!isWatched || performance.now() - drawnAtMs < DRAW_EVERY_MS) return;
    drawnAtMs = performance.now();
    stderr.write(`${CLEAR_LINE}${fullCount(progress.written)} written (${Math.floor(progress.share * 100)}%)`);
  };
  try {
    const code = await runPrinting(stderr, async () => {
      try {
        const chunks = chunksOf(options, onProgress);
        if (output === undefined) await writeOut(stdout, chunks, options.format, stopping);
        else await writeFile(output, chunks, options, stopping);
      } finally {
        if (isWatched) await print(stderr, CLEAR_LINE);
      }
    });
    const ended = stopping.exitCode() ?? code;
    if (ended === 0 && output !== undefined) await print(stderr, `${summary(options, last)} ${neutralise(output)}.\n`);
    if (last.gone > 0) {
      await print(stderr, `Retention removed ${fullCount(last.gone)} events meanwhile; they are missing.\n`);
    }
    return ended;
  } finally {
    stopping.close();
  }
}

function chunksOf(options: ExportOptions, onProgress: (progress: ExportProgress) => void): AsyncGenerator<string> {
  const { reader, query, format, isOfIssues = false, normalized = false } = options;
  if (!isOfIssues) return exportEvents({ reader, query, format, normalized, onProgress });
  if (!normalized) return exportIssues({ reader, query, format, onProgress });
  throw new Fault('ARGUMENT_INVALID', '--normalized says how events are written; leave it or --issues away.');
}

async function writeOut(
  stdout: TextOutput,
  chunks: AsyncIterable<string>,
  format: ExportFormat,
  { signal }: Stopping,
): Promise<void> {
  let block = '';
  for await (const chunk of chunks) {
    if (signal.aborted) return;
    block += stdout.isTTY === true && format === 'csv' ? visibleLines(chunk) : chunk;
    if (block.length < BLOCK_LENGTH) continue;
    await print(stdout, block);
    block = '';
  }
  if (block !== '' && !signal.aborted) await print(stdout, block);
}

async function writeFile(
  path: string,
  chunks: AsyncIterable<string>,
  { force = false }: ExportOptions,
  { signal }: Stopping,
): Promise<void> {
  try {
    await writeExportFile({ path, chunks, overwrite: force, signal });
  } catch (error) {
    if (!signal.aborted) throw error;
  }
}

/** A record as a terminal may show it. */
function visibleLines(record: string): string {
  const lines = record.split(/\r\n|\n/).map(neutralise);
  return lines.join('\n');
}

function summary({ isOfIssues }: ExportOptions, { written }: ExportProgress): string {
  const noun = isOfIssues === true ? 'issue' : 'event';
  return `${fullCount(written)} ${noun}${written === 1 ? ' is' : 's are'} in`;
}
