import type { SettingsFault } from '../../config/check/locate-faults.js';
import { closest } from '../../config/values/suggest.js';
import { problemOfQuery } from '../../core/query/query-fault.js';
import type {
  AttributeActionSettings,
  AttributesProcessorSettings,
  FilterProcessorSettings,
  RedactionProcessorSettings,
} from '../../generated/settings.js';
import { ATTRIBUTE_FIELDS, parseAttributePath } from './attributes/attribute-path.js';
import { compileRe2 } from './event-processor/re2-pattern.js';
import { parseDropQuery } from './filter-processor.js';

const PATTERN_LISTS = ['ignored_key_patterns', 'blocked_key_patterns', 'blocked_values', 'allowed_values'] as const;

/** Finds patterns that do not compile or match everywhere, and warns of valid settings that remove nothing or everything. */
export function checkRedaction(settings: RedactionProcessorSettings): SettingsFault[] {
  const faults = PATTERN_LISTS.flatMap((list) =>
    settings[list].flatMap((pattern, at): SettingsFault[] => {
      const compiled = compileRe2(pattern);
      if ('problem' in compiled) return [{ path: [list, at], message: `${compiled.problem}.` }];
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

/** Checks the actions beyond the schema. Paths are relative to the settings. */
export function checkAttributes({ actions }: AttributesProcessorSettings): SettingsFault[] {
  return actions.flatMap((action, at) =>
    faultsOf(action).map(({ path, ...fault }) => ({ ...fault, path: ['actions', at, ...path] })),
  );
}

function faultsOf(action: AttributeActionSettings): SettingsFault[] {
  return [
    ...pathFaults('key', action.key),
    ...(action.from_attribute === undefined ? [] : pathFaults('from_attribute', action.from_attribute)),
    ...sourceFaults(action),
    ...patternFaults(action),
  ];
}

function pathFaults(name: string, key: string): SettingsFault[] {
  const path = parseAttributePath(key);
  if (!('problem' in path)) return [];
  const meant = closest(key, ATTRIBUTE_FIELDS) ?? (/^\w{1,64}$/.test(key) ? `tags.${key}` : undefined);
  if (meant === undefined) return [{ path: [name], message: `${path.problem}.` }];
  return [{ path: [name], message: path.problem, suggestion: meant }];
}

function sourceFaults({ action, value, from_attribute: from }: AttributeActionSettings): SettingsFault[] {
  const sets = action === 'insert' || action === 'update' || action === 'upsert';
  if (!sets) {
    const needless = Object.entries({ value, from_attribute: from }).filter(([, given]) => given !== undefined);
    return needless.map(([name]) => ({ path: [name], message: `does nothing for ${action}.`, isAtKey: true }));
  }
  if (value === undefined && from === undefined) {
    return [{ path: ['action'], message: `${action} needs value or from_attribute.` }];
  }
  if (value === undefined || from === undefined) return [];
  return [{ path: ['from_attribute'], message: 'is set together with value; set one of them.', isAtKey: true }];
}

function patternFaults({ action, pattern }: AttributeActionSettings): SettingsFault[] {
  if (action !== 'extract') {
    return pattern === undefined ? [] : [{ path: ['pattern'], message: `does nothing for ${action}.`, isAtKey: true }];
  }
  if (pattern === undefined) return [{ path: ['action'], message: 'extract needs a pattern.' }];
  const compiled = compileRe2(pattern);
  if ('problem' in compiled) return [{ path: ['pattern'], message: `${compiled.problem}.` }];
  if (Object.keys(compiled.namedGroups()).length > 0) return [];
  return [{ path: ['pattern'], message: 'has no named group that could become a tag; write one as (?P<name>…).' }];
}
