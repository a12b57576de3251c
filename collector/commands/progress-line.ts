/** Where progress is drawn: a terminal gets one line that is drawn over, a pipe gets nothing. */
export interface ProgressStream {
  readonly isTTY?: boolean;
  write(text: string): unknown;
}

/** One line that shows how far long work has come. */
export interface ProgressLine {
  /** Draws the line, at most ten times a second. */
  show(text: string): void;
  /** Takes the line away. */
  clear(): void;
}

const DRAW_EVERY_MS = 100;

/** Builds a progress line; quiet if the stream is not a terminal. */
export function createProgressLine(stream: ProgressStream): ProgressLine {
  let drawnAtMs = Number.NEGATIVE_INFINITY;
  let isDrawn = false;
  return {
    show(text) {
      if (stream.isTTY !== true || performance.now() - drawnAtMs < DRAW_EVERY_MS) return;
      drawnAtMs = performance.now();
      isDrawn = true;
      stream.write(`\r${text}\u001b[K`);
    },
    clear() {
      if (isDrawn) stream.write('\r\u001b[K');
      isDrawn = false;
    },
  };
}

/** A bar of 20 cells with its share in percent; only the count where the whole is not known. */
export function progressBar(done: number, total: number | undefined): string {
  if (total === undefined || total === 0) return done.toLocaleString('en');
  const share = Math.min(1, done / total);
  const cells = Math.floor(share * 20);
  return `[${'#'.repeat(cells)}${'.'.repeat(20 - cells)}] ${Math.floor(share * 100)} %`;
}
