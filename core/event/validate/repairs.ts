import { hasMembers, type JsonObject } from '../json.js';
import { jsonPointer } from '../json-pointer.js';
import type { EventNote } from '../note.js';

/** A value that was cut to a limit. */
export interface Cut {
  /** JSON pointer into the raw payload. */
  field: string;
  limit: LimitName;
  /** Size as sent: UTF-16 units, levels, tags, members or numbers. */
  was: number;
  /** Remaining size; 0 if the value was dropped. */
  kept: number;
}

/** A part of a text that was left out before it was parsed. */
export interface LeftOut {
  readonly limit: 'max_members' | 'max_members_inside';
  /** Empty: not named. */
  readonly path: Path;
  /** Entries of a list or object. */
  readonly was: number;
  /** Entries that remain; of `max_members_inside`, those that are whole. */
  readonly kept: number;
}

/** A configured limit of an event, `max_members_inside` or `number_range`. */
export type LimitName = keyof typeof LIMITS;

const LIMITS = {
  max_string_length: { code: 'STRING_CUT', describe: inUnits('UTF-16 units') },
  max_stack_length: { code: 'STACK_CUT', describe: inUnits('UTF-16 units') },
  max_depth: { code: 'DEPTH_CUT', describe: inUnits('levels') },
  max_tags: { code: 'TAGS_CUT', describe: inUnits('tags') },
  max_members: { code: 'MEMBERS_CUT', describe: (cut: Cut) => `${missingOf(cut)} were left out` },
  max_members_inside: { code: 'MEMBERS_CUT', describe: (cut: Cut) => `what is inside ${missingOf(cut)} was left out` },
  number_range: { code: 'NUMBER_CUT', describe: () => 'number too large, stored as text' },
} as const;

function inUnits(unit: string): (cut: Cut) => string {
  return ({ was, kept }) => `was cut from ${was} to ${kept} ${unit}`;
}

const INDEX_OR_VALUES = /^(?:\d+|values)$/;
const PLAIN_NAME = /^[\w.-]{1,64}$/;

/** For example `450 of 500 frames`. */
function missingOf({ field, was, kept }: Cut): string {
  const name = field.split('/').findLast((step) => !INDEX_OR_VALUES.test(step)) ?? '';
  const count = `${was - kept} of ${was}`;
  if (!PLAIN_NAME.test(name)) return `${count} members`;
  return name.endsWith('s') ? `${count} ${name}` : `${count} members of ${name}`;
}

/** True for a `LimitName`. */
export function isLimitName(name: unknown): name is LimitName {
  return typeof name === 'string' && Object.hasOwn(LIMITS, name);
}

/** The note that describes a cut. */
export function noteOfCut(cut: Cut): EventNote {
  const { code, describe } = LIMITS[cut.limit];
  return { code, field: cut.field, reason: describe(cut) };
}

/** Number of cuts by limit. */
export type CutCounts = Readonly<Partial<Record<LimitName, number>>>;

/** Path of a value in a payload. */
export type Path = readonly (string | number)[];

const MAX_NOTES = 64;
/** Most entries of `extra.faultline.cuts`. */
export const MAX_CUTS = 32;
/** Reason of the note `VALUE_MOVED`. */
export const MOVED_REASON = 'wrong type, kept under extra.faultline.original';

/** Everything that was changed in one event. Lists are bounded, because a hostile event can need a repair every few bytes; counts are complete. */
export class Repairs {
  readonly #notes: EventNote[] = [];
  #notesLeftOut = 0;
  /** For `extra.faultline.cuts`. */
  readonly cuts: Cut[] = [];
  readonly cutCounts: Partial<Record<LimitName, number>> = {};
  /** Values of a wrong type, by field: `extra.faultline.original`. */
  readonly originals: JsonObject = {};
  /** Unknown top-level values whose names `extra` holds already: `extra.faultline.top_level`. */
  readonly topLevel: JsonObject = {};

  /** Adds a note, or counts it if the list is full. */
  addNote(code: string, path: Path, reason: string): void {
    if (this.#notes.length < MAX_NOTES) this.#notes.push({ code, field: jsonPointer(path), reason });
    else this.#notesLeftOut++;
  }

  /** Counts a cut; notes and lists it unless the lists are full. */
  addCut(limit: LimitName, path: Path, was: number, kept: number): void {
    this.cutCounts[limit] = (this.cutCounts[limit] ?? 0) + 1;
    if (this.#notes.length >= MAX_NOTES) {
      this.#notesLeftOut++;
      return;
    }
    const cut: Cut = { field: jsonPointer(path), limit, was, kept };
    this.#notes.push(noteOfCut(cut));
    if (this.cuts.length < MAX_CUTS) this.cuts.push(cut);
  }

  /** Whether `extra.faultline` must hold original values. */
  get hasValues(): boolean {
    return hasMembers(this.originals) || hasMembers(this.topLevel);
  }

  /** The last note counts those that did not fit. */
  get allNotes(): readonly EventNote[] {
    return this.#notesLeftOut === 0 ? this.#notes : [...this.#notes, noteOfLeftOut(this.#notesLeftOut)];
  }

  /** All cuts, also those that are not listed. */
  get totalCuts(): number {
    return Object.values(this.cutCounts).reduce((sum, count) => sum + count, 0);
  }
}

/** The note that counts notes missing from a list. */
export function noteOfLeftOut(count: number): EventNote {
  return { code: 'NOTES_LEFT_OUT', field: '', reason: `needed ${count} more repairs, which are not listed` };
}
