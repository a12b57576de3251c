/** A double as JSON can carry it: NaN and the infinities as text. */
export function doubleValue(value: number): number | string {
  return Number.isFinite(value) ? value : String(value);
}
