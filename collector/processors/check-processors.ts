import type { SettingsFault } from '../../config/check/locate-faults.js';
import { problemOfQuery } from '../../core/query/query-fault.js';
import type { FilterProcessorSettings, RedactionProcessorSettings } from '../../generated/settings.js';
import { compileRe2, isRe2 } from './event-processor/re2-pattern.js';
import { parseDropQuery } from './filter-processor.js';

const PATTERN_LISTS = ['ignored_key_patterns', 'blocked_key_patterns', 'blocked_values', 'allowed_values'] as const;

/** Finds patterns that do not compile or match everywhere, and warns of valid settings that remove nothing or everything. */
export function checkRedaction(settings: RedactionProcessorSettings): SettingsFault[] {
  const faults = PATTERN_LISTS.flatMap((list) =>
    settings[list].flatMap((pattern, at): SettingsFault[] => {
      const compiled = compileRe2(pattern);
      if (!isRe2(compiled)) return [{ path: [list, at], message: `${compiled.problem}.` }];
      // A mistake such as `(secret|)` matches everywhere.
      return compiled.test('')
        ? [{ path: [list, at], message: 'matches the empty text and therefore everything; make it more specific.' }]
        : [];
    }),
  );
  if (settings.allow_all_keys && settings.allowed_keys.length > 0) {
    faults.push({ path: ['allowed_keys'], message: 'does nothing while allow_all_keys is true; set that to false.' });
  }
  return [...faults, ...redactionDoubts(settings)];
}

/** Finds invalid queries and fields that events do not have before they are stored. */
export function checkFilter({ drop }: FilterProcessorSettings): SettingsFault[] {
  return drop.flatMap((text, at) => {
    const message = problemOfQuery(() => parseDropQuery(text));
    return message === undefined ? [] : [{ path: ['drop', at], message }];
  });
}

function redactionDoubts(settings: RedactionProcessorSettings): SettingsFault[] {
  const { builtin_patterns, blocked_key_patterns, blocked_values, allow_all_keys, allowed_keys } = settings;
  if (!allow_all_keys && allowed_keys.length === 0) {
    const message = 'removes all tags and everything in extra, because allowed_keys lists none that stay';
    return [{ path: ['allow_all_keys'], message, isWarning: true }];
  }
  const isIdle = [builtin_patterns, blocked_key_patterns, blocked_values].every(({ length }) => length === 0);
  if (!isIdle || !allow_all_keys) return [];
  const message = 'selects no pattern, and no other pattern is configured: this processor does nothing';
  return [{ path: ['builtin_patterns'], message, isWarning: true }];
}
