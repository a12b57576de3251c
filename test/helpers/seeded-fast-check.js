import fc from '../../node_modules/fast-check/lib/fast-check.js';

/** fast-check with a fixed seed, so that failures repeat. FAULTLINE_PROPERTY_SEED sets another seed, or `random` for a new one each run. */
const seed = process.env['FAULTLINE_PROPERTY_SEED'] ?? '20261122';
if (seed !== 'random') fc.configureGlobal({ seed: Number(seed) });

export * from '../../node_modules/fast-check/lib/fast-check.js';
// biome-ignore lint/style/noDefaultExport: as the package does.
export default fc;
