import type { ArrayReader } from '../array-reader.js';
import type { LookName } from './look.js';

/** What somebody does, what is waited for, and under which name the screen is kept. */
export interface Step {
  readonly keys?: string;
  /** What happens meanwhile where it is read from. */
  readonly happens?: (reader: ArrayReader) => void;
  readonly see: string | RegExp;
  /** Absent: only on the way to the next one. */
  readonly golden?: string;
}

/** A way through the terminal, gone once for each look. */
export interface PlannedWalk {
  readonly over: () => ArrayReader;
  readonly looks: readonly LookName[];
  readonly steps: readonly Step[];
}

/** One look for each size of a window. */
export const SIZES = ['small', 'middle', 'large'] as const;

/** The list of issues stands. */
export const START = { see: 'TypeError: Cannot' } as const;
