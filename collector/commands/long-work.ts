import type { TextSink } from './command-line.js';

/** Where progress is drawn: on a terminal one line that is overwritten, nothing otherwise. */
export interface ProgressStream extends TextSink {
  readonly isTTY?: boolean;
}

/** What a command on a data folder gets. */
export interface FolderCommand {
  directory: string;
  stdout: TextSink;
  stderr: ProgressStream;
}

const DRAW_INTERVAL_MS = 100;

/** A line that shows the progress of long work, on a terminal only. */
export class ProgressLine {
  readonly #stream: ProgressStream;
  #drawnAtMs = Number.NEGATIVE_INFINITY;
  #isDrawn = false;

  constructor(stream: ProgressStream) {
    this.#stream = stream;
  }

  /** Draws the line, at most ten times a second. */
  show(text: string): void {
    if (this.#stream.isTTY !== true || performance.now() - this.#drawnAtMs < DRAW_INTERVAL_MS) return;
    this.#drawnAtMs = performance.now();
    this.#isDrawn = true;
    this.#stream.write(`\r${text}\u001b[K`);
  }

  clear(): void {
    if (this.#isDrawn) this.#stream.write('\r\u001b[K');
    this.#isDrawn = false;
  }
}

/** A bar of 20 cells with the percentage; only the count if the total is unknown. */
export function progressBar(done: number, total: number | undefined): string {
  if (total === undefined || total === 0) return done.toLocaleString('en');
  const share = Math.min(1, done / total);
  const cells = Math.floor(share * 20);
  return `[${'#'.repeat(cells)}${'.'.repeat(20 - cells)}] ${Math.floor(share * 100)} %`;
}

/** As `untilInterrupted`, with a progress line that is cleared when the work ends. */
export async function withProgress<Result>(
  stream: ProgressStream,
  work: (progress: ProgressLine, signal: AbortSignal) => Promise<Result>,
): Promise<Result | undefined> {
  const progress = new ProgressLine(stream);
  return await untilInterrupted((signal) => work(progress, signal)).finally(() => progress.clear());
}

/** Exit code of an interrupted command: 128 and the number of SIGINT. */
export const INTERRUPTED = 130;

/** Runs work and aborts it at SIGINT or SIGTERM. Returns undefined if the work threw because it was aborted. */
export async function untilInterrupted<Result>(
  work: (signal: AbortSignal) => Promise<Result>,
): Promise<Result | undefined> {
  const abort = new AbortController();
  const stop = (): void => abort.abort();
  process.once('SIGINT', stop);
  process.once('SIGTERM', stop);
  try {
    return await work(abort.signal);
  } catch (error) {
    if (error !== abort.signal.reason) throw error;
    return undefined;
  } finally {
    process.removeListener('SIGINT', stop);
    process.removeListener('SIGTERM', stop);
  }
}
