import type { SettingsFault } from '../../config/check/locate-faults.js';
import { checkGrouping } from '../../core/fingerprint/rules/check-grouping.js';
import type { Settings } from '../../generated/settings.js';
import { checkExporters, checkExportersTogether } from '../exporters/check-exporters.js';
import { checkPprof, checkTokens } from '../extensions/check-extensions.js';
import { checkEndpoints, checkEndpointsTogether } from '../http/endpoints/check-endpoints.js';
import { checkProcessors } from '../processors/check-processors.js';

/**
 * Checks settings that match the schema with the rules of each component. `isWhole` is false if components with schema errors were left out: then the
 * checks between components are skipped. Default true.
 */
export function checkSettings(settings: Settings, isWhole = true): SettingsFault[] {
  const grouping = checkGrouping(settings.grouping).map(({ path, message }) => ({
    path: ['grouping', ...path],
    message,
  }));
  return [
    ...grouping,
    ...checkEndpoints(settings),
    ...checkPprof(settings.extensions),
    ...checkTokens(settings.extensions),
    ...checkProcessors(settings.processors),
    ...checkExporters(settings.exporters),
    ...(isWhole ? [...checkEndpointsTogether(withoutRepeats(settings)), ...checkExportersTogether(settings)] : []),
  ];
}

/** An extension that is listed twice is reported elsewhere and must not conflict with itself. */
function withoutRepeats(settings: Settings): Settings {
  const { service } = settings;
  return { ...settings, service: { ...service, extensions: [...new Set(service.extensions)] } };
}
