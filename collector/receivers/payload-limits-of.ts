import type { PayloadLimits } from '../../core/event/payload-limits.js';
import type { EventLimits } from '../../generated/settings.js';

/** The limits on a payload's parts that an operator set. */
export function payloadLimitsOf(settings: EventLimits): PayloadLimits {
  return {
    maxStringLength: settings.max_string_length,
    maxStackLength: settings.max_stack_length,
    maxDepth: settings.max_depth,
    maxTags: settings.max_tags,
  };
}
