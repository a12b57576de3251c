import { areSettingsOf } from '../../config/component-settings.js';
import type { FoundFault } from '../../config/place-faults.js';
import type { ProcessorsSettings } from '../../config/settings.js';
import { checkAttributes } from './attributes/check-attributes.js';
import { checkFilter } from './filter/check-filter.js';
import { checkRedaction } from './redaction/check-redaction.js';

/** What is wrong in the settings of processors beyond the schema, also of those that no pipeline names. */
export function checkProcessors(processors: ProcessorsSettings): FoundFault[] {
  return Object.entries(processors).flatMap(([id, settings]) =>
    faultsOf(id, settings).map(({ path, ...fault }) => ({ ...fault, path: ['processors', id, ...path] })),
  );
}

function faultsOf(id: string, settings: ProcessorsSettings[string]): FoundFault[] {
  if (areSettingsOf('filter', id, settings)) return checkFilter(settings);
  if (areSettingsOf('attributes', id, settings)) return checkAttributes(settings);
  if (areSettingsOf('redaction', id, settings)) return checkRedaction(settings);
  return [];
}
