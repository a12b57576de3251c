import type { EventLimits } from '../../generated/settings.js';

/** The limits of the default configuration. */
export const DEFAULT_LIMITS: EventLimits = {
  max_event_size: '16MiB',
  max_members: 50_000,
  max_string_length: 1_048_576,
  max_stack_length: 1_048_576,
  max_depth: 64,
  max_tags: 1_000,
};
