import type { ArrayReader } from '../array-reader.js';
import type { LookName } from './look.js';

/** Keys to type, the text to wait for, and the golden file of the screen. */
export interface Step {
  readonly keys?: string;
  /** Changes the data before the keys. */
  readonly happens?: (reader: ArrayReader) => void;
  readonly see: string | RegExp;
  /** Default: the screen is not compared. */
  readonly golden?: string;
}

/** A sequence of steps, run once per look. */
export interface PlannedWalk {
  readonly over: () => ArrayReader;
  readonly looks: readonly LookName[];
  readonly steps: readonly Step[];
}

/** The list of issues is loaded. */
export const START = { see: 'TypeError:' } as const;
