import type { JsonObject } from '../json.js';
import { jsonPointer } from '../json-pointer.js';
import type { EventNote } from '../note.js';

/** One place in an event that was cut to a limit. */
export interface Cut {
  /** JSON pointer into the raw payload. */
  field: string;
  limit: LimitName;
  /** Size as sent: UTF-16 units, levels, tags or numbers. */
  was: number;
  /** Size as kept; 0 where nothing was. */
  kept: number;
}

/** What sets a limit: those of `PayloadLimits` by the names under which they are configured, and the range of a double. */
type LimitName = keyof typeof LIMITS;

const LIMITS = {
  max_string_length: { code: 'STRING_CUT', say: inUnits('UTF-16 units') },
  max_stack_length: { code: 'STACK_CUT', say: inUnits('UTF-16 units') },
  max_depth: { code: 'DEPTH_CUT', say: inUnits('levels') },
  max_tags: { code: 'TAGS_CUT', say: inUnits('tags') },
  number_range: { code: 'NUMBER_CUT', say: () => 'was a number beyond the range of a double and became text' },
} as const;

function inUnits(unit: string): (cut: Cut) => string {
  return ({ was, kept }) => `was cut from ${was} to ${kept} ${unit}`;
}

/** True for the name of a limit. */
export function isLimitName(name: unknown): name is LimitName {
  return typeof name === 'string' && Object.hasOwn(LIMITS, name);
}

/** Says a cut for people. */
export function noteOfCut(cut: Cut): EventNote {
  const { code, say } = LIMITS[cut.limit];
  return { code, field: cut.field, reason: say(cut) };
}

/** Cuts by limit. */
export type CutCounts = Readonly<Partial<Record<LimitName, number>>>;

/** A place in a payload, from its top. */
export type Path = readonly (string | number)[];

/** What was done to one event. Lists are bounded, because a hostile event can need a repair every few bytes; the counts are whole. */
export interface Repairs {
  readonly notes: EventNote[];
  notesLeftOut: number;
  readonly cuts: Cut[];
  readonly cutCounts: Partial<Record<LimitName, number>>;
  /** Values that their fields cannot hold, by field: `extra.faultline.original`. */
  readonly originals: JsonObject;
  /** Unknown top-level values whose names the sender's extra holds already: `extra.faultline.top_level`. */
  readonly topLevel: JsonObject;
}

const MAX_NOTES = 64;
/** How many cuts an event lists in `extra.faultline.cuts`. */
export const MAX_CUTS = 32;

/** For an event to which nothing was done yet. */
export function createRepairs(): Repairs {
  return { notes: [], notesLeftOut: 0, cuts: [], cutCounts: {}, originals: {}, topLevel: {} };
}

/** Notes what was done at a place. */
export function addNote(repairs: Repairs, code: string, path: Path, reason: string): void {
  if (repairs.notes.length < MAX_NOTES) repairs.notes.push({ code, field: jsonPointer(path), reason });
  else repairs.notesLeftOut++;
}

/** Counts a cut, and notes and lists it while there is room. */
export function addCut(repairs: Repairs, limit: LimitName, path: Path, was: number, kept: number): void {
  repairs.cutCounts[limit] = (repairs.cutCounts[limit] ?? 0) + 1;
  if (repairs.notes.length >= MAX_NOTES) {
    repairs.notesLeftOut++;
    return;
  }
  const cut: Cut = { field: jsonPointer(path), limit, was, kept };
  repairs.notes.push(noteOfCut(cut));
  if (repairs.cuts.length < MAX_CUTS) repairs.cuts.push(cut);
}

/** All notes, the last of which counts those that had no room. */
export function notesOf(repairs: Repairs): readonly EventNote[] {
  return repairs.notesLeftOut === 0 ? repairs.notes : [...repairs.notes, noteOfLeftOut(repairs.notesLeftOut)];
}

/** Says how many notes are missing from a list. */
export function noteOfLeftOut(count: number): EventNote {
  return { code: 'NOTES_LEFT_OUT', field: '', reason: `needed ${count} more repairs, which are not listed` };
}
