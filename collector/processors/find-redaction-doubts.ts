import { areSettingsOf } from '../../config/component-settings.js';
import type { FoundFault } from '../../config/place-faults.js';
import type { ProcessorsSettings, RedactionProcessorSettings } from '../../generated/settings.js';

/** Settings of `redaction` that hold and are hardly meant: such that take out nothing, and such that take out everything. */
export function findRedactionDoubts(processors: ProcessorsSettings): FoundFault[] {
  return Object.entries(processors).flatMap(([id, settings]) => {
    if (!areSettingsOf('redaction', id, settings)) return [];
    return doubtsOf(settings).map(([key, message]) => ({ path: ['processors', id, key], message, isDoubt: true }));
  });
}

function doubtsOf(settings: RedactionProcessorSettings): [key: string, message: string][] {
  const { builtin_patterns, blocked_key_patterns, blocked_values, allow_all_keys, allowed_keys } = settings;
  if (!allow_all_keys && allowed_keys.length === 0) {
    return [['allow_all_keys', 'removes all tags and everything in extra, because allowed_keys lists none that stay']];
  }
  const isIdle = [builtin_patterns, blocked_key_patterns, blocked_values].every(({ length }) => length === 0);
  return isIdle && allow_all_keys
    ? [
        [
          'builtin_patterns',
          'leaves nothing to look for, and no other pattern is configured: this processor does nothing',
        ],
      ]
    : [];
}
