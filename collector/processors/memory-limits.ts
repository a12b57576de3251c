import type { FoundFault } from '../../config/check/place-faults.js';
import { areSettingsOf } from '../../config/component-settings.js';
import type { MemoryLimiterProcessorSettings, Settings } from '../../generated/settings.js';
import { availableBytes } from '../telemetry/available-memory.js';

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

/** From how much memory of the process on what is done, bytes. */
export interface MemoryLimits {
  /** Garbage is collected. */
  readonly hardBytes: number;
  /** Events are refused. */
  readonly softBytes: number;
}

const MIB = 1024 * 1024;
/** The Collector's share. */
const SPIKE_SHARE = 0.2;
/** A collector that has nothing to do takes 71 MiB (Node 20.20, x64), and a limit without room for work would refuse for ever. */
const LEAST_HARD_MIB = 96;
const LEAST_SOFT_MIB = 76;

/** The limits that settings mean where there is so much memory. */
export function memoryLimitsOf(settings: MemoryLimiterProcessorSettings, totalBytes: number): MemoryLimits {
  const isFixed = settings.limit_mib > 0;
  const hardBytes = isFixed ? settings.limit_mib * MIB : (totalBytes * settings.limit_percentage) / 100;
  const spikeBytes = isFixed ? settings.spike_limit_mib * MIB : (totalBytes * settings.spike_limit_percentage) / 100;
  return { hardBytes, softBytes: hardBytes - (spikeBytes > 0 ? spikeBytes : hardBytes * SPIKE_SHARE) };
}

/** What is wrong with the limits that settings mean where there is so much memory; paths begin at the settings. */
export function checkMemoryLimits(settings: MemoryLimiterProcessorSettings, totalBytes: number): FoundFault[] {
  const isFixed = settings.limit_mib > 0;
  const [limitKey, spikeKey] = isFixed
    ? (['limit_mib', 'spike_limit_mib'] as const)
    : (['limit_percentage', 'spike_limit_percentage'] as const);
  const { hardBytes, softBytes } = memoryLimitsOf(settings, totalBytes);
  const faults = unusedSpike(settings, isFixed);
  if (hardBytes < LEAST_HARD_MIB * MIB) {
    const message = `expected a limit of at least ${LEAST_HARD_MIB} MiB, found ${mib(hardBytes)} MiB: a collector that has nothing to do takes 71 MiB`;
    faults.push({ path: [limitKey], message });
  } else if (softBytes <= 0) {
    const message = `expected less than ${limitKey} (${settings[limitKey]}), found ${settings[spikeKey]}: every event would be refused`;
    faults.push({ path: [spikeKey], message });
  } else if (softBytes < LEAST_SOFT_MIB * MIB) {
    const message = `expected it to leave at least ${LEAST_SOFT_MIB} MiB below the limit of ${mib(hardBytes)} MiB, found ${mib(softBytes)} MiB: a collector that has nothing to do takes 71 MiB`;
    faults.push({ path: [spikeKey], message });
  }
  return faults;
}

/** A spike beside the other kind of limit would be passed over in silence. */
function unusedSpike(settings: MemoryLimiterProcessorSettings, isFixed: boolean): FoundFault[] {
  if (isFixed && settings.spike_limit_percentage > 0) {
    return [
      {
        path: ['spike_limit_percentage'],
        message: 'counts beside limit_percentage only: give spike_limit_mib beside limit_mib',
      },
    ];
  }
  if (!isFixed && settings.spike_limit_mib > 0) {
    return [
      { path: ['spike_limit_mib'], message: 'counts beside limit_mib only: give spike_limit_percentage, or limit_mib' },
    ];
  }
  return [];
}

function mib(bytes: number): number {
  return Math.floor(bytes / MIB);
}
