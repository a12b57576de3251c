import type { SettingsFault } from '../../../config/check/locate-faults.js';
import { closest } from '../../../config/values/suggest.js';
import type { AttributeActionSettings, AttributesProcessorSettings } from '../../../generated/settings.js';
import { compileRe2, isRe2 } from '../event-processor/re2-pattern.js';
import { ATTRIBUTE_FIELDS, isAttributePath, parseAttributePath } from './attribute-path.js';

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
  if (isAttributePath(path)) return [];
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
  if (!isRe2(compiled)) return [{ path: ['pattern'], message: `${compiled.problem}.` }];
  if (Object.keys(compiled.namedGroups()).length > 0) return [];
  return [{ path: ['pattern'], message: 'has no named group that could become a tag; write one as (?P<name>…).' }];
}
