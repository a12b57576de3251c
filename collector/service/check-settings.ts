import type { FoundFault } from '../../config/check/place-faults.js';
import { checkGrouping } from '../../core/fingerprint/rules/check-grouping.js';
import type { Settings } from '../../generated/settings.js';
import { checkExporters, checkExportersTogether } from '../exporters/check-exporters.js';
import { checkPprof, checkTokens } from '../extensions/check-extensions.js';
import { checkEndpoints, checkEndpointsTogether } from '../http/endpoints/check-endpoints.js';
import { checkProcessors, findRedactionDoubts } from '../processors/check-processors.js';
import { checkMemoryLimiters } from '../processors/memory-limits.js';

/**
 * Everything that is wrong or doubtful in settings that fit the schema, as far as only the rooms that use them can tell. `isWhole` is false for settings
 * without the parts that do not fit: then only what stands by itself is judged. Default true.
 */
export function checkSettings(settings: Settings, isWhole = true): FoundFault[] {
  const ofGrouping = checkGrouping(settings.grouping).map(({ path, message }) => ({
    path: ['grouping', ...path],
    message,
  }));
  return [
    ...ofGrouping,
    ...checkEndpoints(settings),
    ...checkPprof(settings.extensions),
    ...checkTokens(settings.extensions),
    ...checkProcessors(settings.processors),
    ...checkMemoryLimiters(settings),
    ...findRedactionDoubts(settings.processors),
    ...checkExporters(settings.exporters),
    ...(isWhole ? [...checkEndpointsTogether(withoutRepeats(settings)), ...checkExportersTogether(settings)] : []),
  ];
}

/** An extension that is listed twice is reported as such, and is in nobody's way. */
function withoutRepeats(settings: Settings): Settings {
  const { service } = settings;
  return { ...settings, service: { ...service, extensions: [...new Set(service.extensions)] } };
}
