import type { JsonObject, JsonValue } from '../event/json.js';
import type { ClientMaterial } from './client-material.js';

const MAX_ENTRIES = 32;
const MAX_ENTRY_LENGTH = 1_024;
const DEFAULT_TOKEN = '{{ default }}';
const DEFAULT_TOKEN_FORMS = /^\{\{\s{0,8}default\s{0,8}\}\}$/;

/** What a client said about the grouping of its event. */
export interface ClientFingerprint {
  /** Null when the client gave none, or one that is not used. */
  readonly entries: string[] | null;
  /** True when the built-in parts count beside the client's entries. */
  readonly includesDefault: boolean;
  readonly reason: string;
}

/**
 * Reads `extra.fingerprint`: a list of strings in which `{{ default }}` stands for the built-in parts. Where it is not used, the fingerprint in the
 * client's material is.
 */
export function readClientFingerprint(
  extra: JsonObject | null,
  material: ClientMaterial | null = null,
): ClientFingerprint {
  const value = extra !== null && Object.hasOwn(extra, 'fingerprint') ? extra['fingerprint'] : undefined;
  const own = readEntries(value, 'extra.fingerprint');
  if (own.entries !== null || material?.fingerprint === undefined) return own;
  return readEntries(material.fingerprint, material.fingerprintAt);
}

function readEntries(value: JsonValue | undefined, at: string): ClientFingerprint {
  if (value === undefined || value === null) return unused('The client named no fingerprint.');
  if (!Array.isArray(value)) return unused(`${at} is not a list of strings.`);
  if (value.length === 0) return unused(`${at} is empty.`);
  if (value.length > MAX_ENTRIES) return unused(`${at} has more than ${MAX_ENTRIES} entries.`);
  const entries: string[] = [];
  for (const entry of value) {
    if (typeof entry !== 'string') return unused(`${at} holds something that is not a string.`);
    if (entry.length > MAX_ENTRY_LENGTH) {
      return unused(`${at} has an entry of more than ${MAX_ENTRY_LENGTH} UTF-16 units.`);
    }
    entries.push(DEFAULT_TOKEN_FORMS.test(entry) ? DEFAULT_TOKEN : entry);
  }
  const includesDefault = entries.includes(DEFAULT_TOKEN);
  if (entries.every((entry) => entry === DEFAULT_TOKEN)) {
    return unused(`${at} asks for the built-in grouping alone.`);
  }
  if (entries.every((entry) => entry.trim() === '')) return unused(`${at} is blank.`);
  return {
    entries,
    includesDefault,
    reason: includesDefault ? 'The client added to the built-in grouping.' : 'The client grouped this event itself.',
  };
}

function unused(reason: string): ClientFingerprint {
  return { entries: null, includesDefault: false, reason };
}
