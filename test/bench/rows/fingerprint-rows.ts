import { type Row, row } from '../row.js';
import { runProgram } from '../run-program.js';

const FAMILIES = [
  ['v8', 'V8'],
  ['java', 'Java'],
] as const;

/** Rate of fingerprinting new events on one core. */
export async function fingerprintRows(): Promise<Row[]> {
  const rows: Row[] = [];
  for (const [family, name] of FAMILIES) {
    const { fingerprints, hashes } = await runProgram('fingerprint-events', [family]);
    rows.push(
      row(
        `fingerprints of events never seen before, 18 frames, ${name}, per second of CPU time`,
        Number(fingerprints),
        "crypto.hash('sha256') of 1 kB, per second of CPU time",
        Number(hashes),
        'higher',
        { of: 'figure', value: 60_000 },
      ),
    );
  }
  return rows;
}
