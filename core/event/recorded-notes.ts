import { type Cut, isLimitName, noteOfCut } from './cut.js';
import { MOVED_REASON } from './degrade-value.js';
import { sampledOf } from './event-weight.js';
import { isJsonObject, type JsonObject, type JsonValue } from './json.js';
import { jsonPointer } from './json-pointer.js';
import type { EventNote } from './note.js';
import { RAW_PAYLOAD_KEYS } from './raw-payload.js';
import { MAX_CUTS, noteOfLeftOut } from './repairs.js';

/**
 * The notes that a payload itself carries in `extra.faultline`: the further events for which it stands, cuts, and values that their fields could not hold.
 * A sender can write the same words there, except the first; what does not have the shape of a note is passed over.
 */
export function recordedNotes(extra: JsonObject | null): EventNote[] {
  const part = extra?.['faultline'];
  if (!isJsonObject(part)) return [];
  const { cuts, cuts_total: total, original } = part;
  const notes = [...sampledNotes(extra), ...movedNotes(original)];
  const listed = Array.isArray(cuts)
    ? cuts
        .slice(0, MAX_CUTS)
        .map(toCut)
        .filter((cut) => cut !== undefined)
    : [];
  notes.push(...listed.map(noteOfCut));
  if (typeof total === 'number' && total > listed.length) notes.push(noteOfLeftOut(total - listed.length));
  return notes;
}

function sampledNotes(extra: JsonObject | null): EventNote[] {
  const sampled = sampledOf(extra);
  if (sampled === 0) return [];
  const events =
    sampled === 1 ? '1 further event of its issue that was' : `${sampled} further events of its issue that were`;
  return [
    {
      code: 'SAMPLED',
      field: jsonPointer(['extra', 'faultline', 'sampled']),
      reason: `stands for ${events} received and not stored`,
    },
  ];
}

function movedNotes(original: JsonValue | undefined): EventNote[] {
  if (!isJsonObject(original)) return [];
  return RAW_PAYLOAD_KEYS.filter((key) => Object.hasOwn(original, key)).map((key) => ({
    code: 'VALUE_MOVED',
    field: jsonPointer([key]),
    reason: MOVED_REASON,
  }));
}

function toCut(value: JsonValue): Cut | undefined {
  if (!isJsonObject(value)) return undefined;
  const { field, limit, was, kept } = value;
  const isWhole = typeof field === 'string' && typeof was === 'number' && typeof kept === 'number';
  return isWhole && isLimitName(limit) ? { field, limit, was, kept } : undefined;
}
