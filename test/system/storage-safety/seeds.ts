/** Returns the seeds from 1 to FAULTLINE_SEEDS, or to a default; with FAULTLINE_SEED only that seed. */
export function seedsToRun(byDefault: number): readonly number[] {
  const { FAULTLINE_SEED: one, FAULTLINE_SEEDS: count } = process.env;
  if (one !== undefined) return [Number(one)];
  return Array.from({ length: Number(count ?? byDefault) }, (_, index) => index + 1);
}
