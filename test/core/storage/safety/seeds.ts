/** Seeds from 1 to a number, default as given and FAULTLINE_SEEDS where it is set; with FAULTLINE_SEED that one alone. */
export function seedsToRun(byDefault: number): readonly number[] {
  const { FAULTLINE_SEED: one, FAULTLINE_SEEDS: count } = process.env;
  if (one !== undefined) return [Number(one)];
  return Array.from({ length: Number(count ?? byDefault) }, (_, index) => index + 1);
}
