/** Levels of arrays and maps that are written; what lies deeper is written as JSON text. Readers refuse, or lose, what is nested deeper than about 100. */
export const MAX_DEPTH = 60;

/** Whether a number is written as an integer. */
export function isInteger(value: number): boolean {
  return Number.isSafeInteger(value) && !Object.is(value, -0);
}
