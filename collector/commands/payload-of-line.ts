import type { createPayloadReader } from '../../core/event/payload-reader.js';
import type { RawPayload } from '../../core/event/raw-payload.js';

/** Only what groups has to be there: the rest of the required strings is filled in. */
const UNGROUPED = { app: '', env: '', error_name: '', message: '', route: '', service: '' };

/** The payload in a line of NDJSON, its absent texts filled in with nothing, or what is wrong with it. `number` counts from 0. */
export function payloadOfLine(
  reader: ReturnType<typeof createPayloadReader>,
  text: string,
  number: number,
): { readonly payload: RawPayload } | { readonly error: string } {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    return { error: `line ${number + 1} is not JSON: ${error instanceof Error ? error.message : String(error)}` };
  }
  const reading = reader.read(isPlainObject(value) ? fillMissing(value) : value);
  if (reading.ok) return { payload: reading.payload };
  return { error: `line ${number + 1}: ${reading.rejection.field} ${reading.rejection.reason}` };
}

function isPlainObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function fillMissing(value: Record<string, unknown>): Record<string, unknown> {
  const given = Object.entries(value).filter(([key, part]) => !(key in UNGROUPED && part === null));
  // Spread defines properties, so a key named __proto__ stays a key.
  return { ...UNGROUPED, ...Object.fromEntries(given) };
}
