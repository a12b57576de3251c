import { parseWellFormed } from '../../core/event/json.js';
import { type PayloadParseResult, PayloadParser } from '../../core/event/validate/payload-reader.js';
import { DEFAULT_LIMITS } from '../import/default-bounds.js';

const parser = new PayloadParser({ defaults: {}, limits: DEFAULT_LIMITS, keepsWeight: true });

/** Reads a copy of a payload of a plugin, which cannot change it later. */
export function readPayload(payload: unknown): PayloadParseResult {
  return parser.parse(parseWellFormed(plainJson(payload)).value);
}

/** A payload of a plugin as JSON; `null` if JSON cannot hold it. */
export function plainJson(payload: unknown): string {
  try {
    return JSON.stringify(payload) ?? 'null';
  } catch {
    return 'null';
  }
}
