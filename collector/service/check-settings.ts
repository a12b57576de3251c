import type { SettingsFault } from '../../config/check/locate-faults.js';
import { type AnySettings, hasSettingsType } from '../../config/component-settings.js';
import { checkGrouping } from '../../core/fingerprint/rules/check-grouping.js';
import type { Settings } from '../../generated/settings.js';
import type { SettingsByType } from '../../generated/settings-by-type.js';
import { checkClientTls, checkExportersTogether, checkWebhook } from '../exporters/check-exporters.js';
import { checkMcp, checkPeers, checkTokens } from '../extensions/check-extensions.js';
import { checkEndpoints, checkEndpointsTogether } from '../http/endpoints/check-endpoints.js';
import { checkAttributes, checkFilter, checkRedaction } from '../processors/check-processors.js';
import { checkMemoryLimits } from '../processors/memory-limits.js';
import { availableBytes } from '../telemetry/available-memory.js';

/** Checks of one component beyond the schema, also if nothing uses it. Paths are relative to its settings. */
const CHECKS = [
  checkOf('bearertokenauth', checkTokens),
  checkOf('query', checkPeers),
  checkOf('filter', checkFilter),
  checkOf('attributes', checkAttributes),
  checkOf('redaction', checkRedaction),
  checkOf('memory_limiter', (settings) => checkMemoryLimits(settings, availableBytes())),
  checkOf('otlp_http', checkClientTls),
  checkOf('nats', checkClientTls),
  checkOf('webhook', checkClientTls),
  checkOf('webhook', checkWebhook),
];

/** Checks settings by the rules of each component; rules between them only if `isWhole`: no component was left out for schema errors. */
export function checkSettings(settings: Settings, isWhole = true): SettingsFault[] {
  return [
    ...below(['grouping'], checkGrouping(settings.grouping)),
    ...checkEndpoints(settings),
    ...(['extensions', 'processors', 'receivers', 'exporters'] as const).flatMap((section) =>
      Object.entries(settings[section]).flatMap(([id, component]) =>
        CHECKS.flatMap((check) => below([section, id], check(id, component))),
      ),
    ),
    ...(isWhole
      ? [
          ...checkEndpointsTogether(withoutRepeats(settings)),
          ...checkExportersTogether(settings),
          ...checkMcp(settings),
        ]
      : []),
  ];
}

function checkOf<Type extends keyof SettingsByType>(
  type: Type,
  check: (settings: SettingsByType[Type]) => readonly SettingsFault[],
) {
  return (id: string, settings: AnySettings) => (hasSettingsType(type, id, settings) ? check(settings) : []);
}

function below(parent: SettingsFault['path'], faults: readonly SettingsFault[]): SettingsFault[] {
  return faults.map((fault) => ({ ...fault, path: [...parent, ...fault.path] }));
}

/** An extension that is listed twice is reported elsewhere and must not conflict with itself. */
function withoutRepeats(settings: Settings): Settings {
  const { service } = settings;
  return { ...settings, service: { ...service, extensions: [...new Set(service.extensions)] } };
}
