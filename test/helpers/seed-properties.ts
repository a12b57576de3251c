/** Seeds fast-check so that failures repeat: FAULTLINE_PROPERTY_SEED sets another seed, or `random` for a new one each run; FAULTLINE_PROPERTY_RUNS how many values each property gets, 25 by default. */
import fc from 'fast-check';

const seed = process.env['FAULTLINE_PROPERTY_SEED'] ?? '20261122';
const numRuns = Number(process.env['FAULTLINE_PROPERTY_RUNS'] ?? 25);
fc.configureGlobal(seed === 'random' ? { numRuns } : { seed: Number(seed), numRuns });
