import { once } from 'node:events';
import type { Readable, Writable } from 'node:stream';
import { createPayloadReader } from '../../core/event/payload-reader.js';
import { computeFingerprint } from '../../core/fingerprint/compute-fingerprint.js';
import { DEFAULT_LIMITS, MAX_LINE_BYTES } from '../import/default-bounds.js';
import { readFileLines } from '../import/file-lines.js';

/** Only what groups has to be there: the rest of the required strings is filled in. */
const UNGROUPED = { app: '', env: '', error_name: '', message: '', route: '', service: '' };

/** What `faultline fingerprint` was called with. */
export interface FingerprintOptions {
  stdin: Readable;
  stdout: Writable;
  stderr: { write(text: string): unknown };
}

/**
 * Reads raw payloads as NDJSON and prints `{"fingerprint","version","title","basis"}` for each line, in order.
 * A line that is no payload prints `{"error"}` in its place. Exit code 1 when there was one.
 */
export async function runFingerprint(options: FingerprintOptions): Promise<number> {
  const reader = createPayloadReader({ defaults: {}, limits: DEFAULT_LIMITS });
  let failed = false;
  for await (const { number, bytes } of readFileLines(options.stdin, MAX_LINE_BYTES)) {
    const text = bytes?.toString('utf8').trim();
    if (text === '') continue;
    const answer =
      text === undefined
        ? { error: `line ${number + 1} is longer than ${MAX_LINE_BYTES} bytes` }
        : fingerprintLine(reader, text, number);
    if ('error' in answer) failed = true;
    if (!options.stdout.write(`${JSON.stringify(answer)}\n`)) await once(options.stdout, 'drain');
  }
  return failed ? 1 : 0;
}

function fingerprintLine(reader: ReturnType<typeof createPayloadReader>, text: string, number: number): object {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    return { error: `line ${number + 1} is not JSON: ${error instanceof Error ? error.message : String(error)}` };
  }
  const reading = reader.read(isPlainObject(value) ? fillMissing(value) : value);
  if (!reading.ok) return { error: `line ${number + 1}: ${reading.rejection.field} ${reading.rejection.reason}` };
  const { value: fingerprint, version, title, basis } = computeFingerprint(reading.payload);
  return { fingerprint, version, title, basis };
}

function isPlainObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function fillMissing(value: Record<string, unknown>): Record<string, unknown> {
  const given = Object.entries(value).filter(([key, part]) => !(key in UNGROUPED && part === null));
  // Spread defines properties, so a key named __proto__ stays a key.
  return { ...UNGROUPED, ...Object.fromEntries(given) };
}
