/**
 * What a line is to a trace that has begun: `take` it is mine; `want` it is mine if I take a later one; `last` it is mine and I end with it;
 * `over` I have ended before it; `foreign` it is not mine, another writer may have printed it in between.
 */
export type Step = 'take' | 'want' | 'last' | 'over' | 'foreign';

/** A trace that may have begun with a line. */
export interface TraceStart {
  /** True when the first line alone is proof enough; else the first `take` proves it. */
  readonly isCertain: boolean;
  /** Says what the next line is; not called again after `last` or `over`. */
  readonly step: (line: string) => Step;
}

/** What a whole trace says. */
export interface TraceReading {
  readonly errorName: string;
  readonly message: string;
  /** Without what a logger printed before it. */
  readonly stack: string;
  /** `fatal` where the text says that the program ended by it, else `error`. */
  readonly level: 'error' | 'fatal';
}

/** Stack traces of one language. Lines come without colours and without what a container or a system log put before them. */
export interface TraceFamily {
  readonly format: string;
  /** A start when the line may be the first one of a trace. The line is at most `MAX_LOOKED` long. */
  begin(line: string): TraceStart | undefined;
  /** Reads the lines that a trace took, at least one. */
  read(lines: readonly string[]): TraceReading;
}

/** UTF-16 units of a line that are looked at. */
export const MAX_LOOKED = 4_096;
