import type { PayloadLimits } from '../../core/event/validate/payload-check.js';

/** Limits on events without a configuration: the defaults of the events receiver in `config/schema.json`. */
export const DEFAULT_LIMITS: PayloadLimits = {
  maxStringLength: 1_048_576,
  maxStackLength: 1_048_576,
  maxDepth: 64,
  maxTags: 1000,
};

/** Most members of objects and elements of arrays in one event: the receiver's `max_members`. */
export const MAX_MEMBERS = 50_000;

/** Longest line that is read, in bytes: the receiver's `max_event_size`. */
export const MAX_LINE_BYTES = 16 * 1024 * 1024;
