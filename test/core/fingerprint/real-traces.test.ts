import { readdirSync, readFileSync } from 'node:fs';
import type { RawPayload } from '../../../core/event/raw-payload.js';
import type { FingerprintBasis } from '../../../core/fingerprint/fingerprint.js';
import { computeFingerprint } from './compute-fingerprint.js';

const FOLDER = new URL('../../fixtures/traces/', import.meta.url);
const AT_LEAST_TRACES = 150;

/** One file of test/fixtures/traces; its README documents the keys. */
interface RealTrace {
  readonly oddity: string;
  readonly runs: readonly { readonly payload: RawPayload }[];
  readonly same: boolean;
  readonly fingerprint: FingerprintBasis | null;
}

/** The traces of one relation, as `<family>/<oddity>.json`. */
function tracesOf(same: boolean): [string, RealTrace][] {
  return TRACES.filter(([, trace]) => trace.same === same);
}

/** The parts that decided each run, so that a failing test shows the reason. */
function usedParts(trace: RealTrace): unknown[] {
  return trace.runs.map(({ payload }) => {
    const { basis } = computeFingerprint(payload);
    return basis.parts.filter((part) => part.used).map(({ part, value }) => ({ part, value }));
  });
}

function valuesOf(trace: RealTrace): Set<string> {
  return new Set(trace.runs.map(({ payload }) => computeFingerprint(payload).value));
}

const TRACES: [string, RealTrace][] = readdirSync(FOLDER, { recursive: true, encoding: 'utf8' })
  .filter((name) => name.endsWith('.json') && !name.startsWith('programs'))
  .sort()
  .map((name) => [name, JSON.parse(readFileSync(new URL(name, FOLDER), 'utf8'))]);

/** Traces of programs in many languages that really failed; test/fixtures/traces/README.md documents how they were made. */
describe('fingerprints of traces of real programs', () => {
  it('include at least 150 traces', () => {
    const traces = TRACES.reduce((sum, [, { runs }]) => sum + runs.length, 0);
    expect(traces).toBeGreaterThanOrEqual(AT_LEAST_TRACES);
  });

  it.each(tracesOf(true))('stay the same for one failure with other data: %s', (_name, trace) => {
    const [first, ...others] = usedParts(trace);
    for (const other of others) expect(other).toEqual(first);
    expect(valuesOf(trace).size).toBe(1);
  });

  it.each(tracesOf(false))('differ for different failures: %s', (_name, trace) => {
    if (valuesOf(trace).size === trace.runs.length) return;
    expect(usedParts(trace)).toBe('parts of which no two are equal');
  });

  for (const [name, { runs, fingerprint }] of TRACES) {
    if (fingerprint === null) continue;
    it(`have the golden basis: ${name}`, () => {
      const [first] = runs;
      expect(first && computeFingerprint(first.payload).basis).toEqual(fingerprint);
    });
  }
});
