import type { EventNote } from './note.js';

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
export type LimitName = keyof typeof LIMITS;

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
