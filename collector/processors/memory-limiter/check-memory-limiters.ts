import type { FoundFault } from '../../../config/check/place-faults.js';
import { areSettingsOf } from '../../../config/component-settings.js';
import type { Settings } from '../../../generated/settings.js';
import { availableBytes } from '../../telemetry/available-memory.js';
import { checkMemoryLimits } from './memory-limits.js';

/** What is wrong with the limits of every `memory_limiter`, on this machine. */
export function checkMemoryLimiters({ processors }: Pick<Settings, 'processors'>): FoundFault[] {
  return Object.entries(processors).flatMap(([id, settings]) => {
    if (!areSettingsOf('memory_limiter', id, settings)) return [];
    return checkMemoryLimits(settings, availableBytes()).map(({ path, message }) => ({
      path: ['processors', id, ...path],
      message,
    }));
  });
}
