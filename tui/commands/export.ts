import type { FailureReader } from '../../core/contract/reader.js';
import { Fault } from '../../core/event/fault.js';
import { inBlocks, writeExportFile } from '../effects/export-file.js';
import { type ExportFormat, type ExportProgress, exportEvents, exportIssues } from '../effects/export-rows.js';
import { countWithNoun, fullCount } from '../text/counts.js';
import { neutralise } from '../text/visible.js';
import { runPrinting } from './printing-command.js';
import { listenForStop } from './stop-listener.js';
import { CLEAR_LINE, print, type TextOutput } from './text-output.js';

export interface ExportOptions {
  reader: FailureReader;
  /** Default: everything. */
  query?: string | undefined;
  /** Issues instead of events, default false. */
  issues?: boolean | undefined;
  /** Normalized events instead of raw payloads, default false. */
  normalized?: boolean | undefined;
  format: ExportFormat;
  /** Path of the file; default: standard output. */
  output?: string | undefined;
  /** Replaces an existing file, default false. */
  force?: boolean | undefined;
  stdout: TextOutput;
  stderr: TextOutput;
  /** Default: this process. */
  signals?: NodeJS.EventEmitter | undefined;
}

const DRAW_EVERY_MS = 100;

/** Exports all matching issues or events. If only standard error is a terminal, it shows the progress. Returns the exit code. */
export async function runExport(options: ExportOptions): Promise<number> {
  const { output, stdout, stderr } = options;
  const stop = listenForStop(stdout, options.signals);
  const showsProgress = stderr.isTTY === true && (output !== undefined || stdout.isTTY !== true);
  const progress = new ShownProgress(stderr, showsProgress);
  try {
    const code = await runPrinting({ stderr }, async () => {
      try {
        await writeChunks(options, exportChunks(options, progress.update), stop.signal);
      } catch (error) {
        if (!stop.signal.aborted) throw error;
      } finally {
        if (showsProgress) await print(stderr, CLEAR_LINE);
      }
    });
    const exitCode = stop.exitCode() ?? code;
    await printSummary(options, progress.last, exitCode);
    return exitCode;
  } finally {
    stop.close();
  }
}

/** Keeps the latest progress, and draws it at most ten times a second. */
class ShownProgress {
  last: ExportProgress = { written: 0, gone: 0, share: 0 };
  readonly #stderr: TextOutput;
  readonly #isDrawn: boolean;
  #drawnAtMs = Number.NEGATIVE_INFINITY;

  constructor(stderr: TextOutput, isDrawn: boolean) {
    this.#stderr = stderr;
    this.#isDrawn = isDrawn;
  }

  readonly update = (progress: ExportProgress): void => {
    this.last = progress;
    if (!this.#isDrawn || performance.now() - this.#drawnAtMs < DRAW_EVERY_MS) return;
    this.#drawnAtMs = performance.now();
    const percent = Math.floor(progress.share * 100);
    this.#stderr.write(`${CLEAR_LINE}${fullCount(progress.written)} written (${percent}%)`);
  };
}

async function writeChunks(options: ExportOptions, chunks: AsyncGenerator<string>, signal: AbortSignal): Promise<void> {
  const { output, stdout, format, force = false } = options;
  if (output !== undefined) return await writeExportFile({ path: output, chunks, overwrite: force, signal });
  const isShown = stdout.isTTY === true && format === 'csv';
  for await (const block of inBlocks(chunks, signal)) await print(stdout, isShown ? visibleLines(block) : block);
}

async function printSummary(options: ExportOptions, last: ExportProgress, exitCode: number): Promise<void> {
  const { output, stderr, issues: isOfIssues = false } = options;
  if (exitCode === 0 && output !== undefined) {
    const exported = countWithNoun(last.written, isOfIssues ? 'issue' : 'event');
    await print(stderr, `${exported} exported to ${neutralise(output)}.\n`);
  }
  if (last.gone > 0) {
    await print(stderr, `${fullCount(last.gone)} events were removed by retention during the export.\n`);
  }
}

function exportChunks(options: ExportOptions, onProgress: (progress: ExportProgress) => void): AsyncGenerator<string> {
  const { reader, query, format, issues: isOfIssues = false, normalized = false } = options;
  if (!isOfIssues) return exportEvents({ reader, query, format, normalized, onProgress });
  if (!normalized) return exportIssues({ reader, query, format, onProgress });
  throw new Fault('ARGUMENT_INVALID', '--normalized cannot be combined with --issues.');
}

function visibleLines(text: string): string {
  return text
    .split(/\r\n|\n/)
    .map(neutralise)
    .join('\n');
}
