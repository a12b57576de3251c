import type { SettingsFault } from '../../config/check/locate-faults.js';
import { hasSettingsType } from '../../config/component-settings.js';
import { QueryFault } from '../../core/query/query-fault.js';
import type {
  FilterProcessorSettings,
  ProcessorsSettings,
  RedactionProcessorSettings,
} from '../../generated/settings.js';
import { availableBytes } from '../telemetry/available-memory.js';
import { checkAttributes } from './attributes/check-attributes.js';
import { compileRe2, isRe2 } from './event-processor/re2-pattern.js';
import { parseDropQuery } from './filter-processor.js';
import { checkMemoryLimits } from './memory-limits.js';

const PATTERN_LISTS = ['ignored_key_patterns', 'blocked_key_patterns', 'blocked_values', 'allowed_values'] as const;

/** Checks settings of all processors beyond the schema, including unused ones. */
export function checkProcessors(processors: ProcessorsSettings): SettingsFault[] {
  return Object.entries(processors).flatMap(([id, settings]) =>
    faultsOf(id, settings).map(({ path, ...fault }) => ({ ...fault, path: ['processors', id, ...path] })),
  );
}

function faultsOf(id: string, settings: ProcessorsSettings[string]): SettingsFault[] {
  if (hasSettingsType('filter', id, settings)) return checkFilter(settings);
  if (hasSettingsType('attributes', id, settings)) return checkAttributes(settings);
  if (hasSettingsType('redaction', id, settings)) return [...checkRedaction(settings), ...redactionDoubts(settings)];
  if (hasSettingsType('memory_limiter', id, settings)) return checkMemoryLimits(settings, availableBytes());
  return [];
}

/** Finds patterns that do not compile or match everywhere. Paths are relative to the settings. */
function checkRedaction(settings: RedactionProcessorSettings): SettingsFault[] {
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
  return faults;
}

/** Finds invalid queries and fields that events do not have before they are stored. Paths are relative to the settings. */
function checkFilter({ drop }: FilterProcessorSettings): SettingsFault[] {
  return drop.flatMap((text, at) => {
    try {
      parseDropQuery(text);
      return [];
    } catch (error) {
      if (!(error instanceof QueryFault)) throw error;
      return [{ path: ['drop', at], message: error.message }];
    }
  });
}

/** Warns of valid settings that remove nothing or everything. Paths are relative to the settings. */
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
