import type { SettingsFault } from '../../config/check/locate-faults.js';
import type { MemoryLimiterProcessorSettings } from '../../generated/settings.js';

const MIB = 1024 * 1024;
/** As in the OpenTelemetry Collector. */
const SPIKE_SHARE = 0.2;
/** An idle collector uses 71 MiB (Node 20.20, x64); a limit without room for work would refuse every event. */
const LEAST_HARD_MIB = 96;
const LEAST_SOFT_MIB = 76;

/** Limits in bytes. */
interface MemoryLimits {
  readonly hardBytes: number;
  readonly softBytes: number;
}

/** Computes the limits for `totalBytes` of available memory: garbage is collected above the hard one, events are refused above the soft one. */
export function memoryLimitsOf(settings: MemoryLimiterProcessorSettings, totalBytes: number): MemoryLimits {
  const isFixed = settings.limit_mib > 0;
  const hardBytes = isFixed ? settings.limit_mib * MIB : (totalBytes * settings.limit_percentage) / 100;
  const spikeBytes = isFixed ? settings.spike_limit_mib * MIB : (totalBytes * settings.spike_limit_percentage) / 100;
  return { hardBytes, softBytes: hardBytes - (spikeBytes > 0 ? spikeBytes : hardBytes * SPIKE_SHARE) };
}

/** Checks the limits for `totalBytes` of available memory; paths are relative to the settings. */
export function checkMemoryLimits(settings: MemoryLimiterProcessorSettings, totalBytes: number): SettingsFault[] {
  const isFixed = settings.limit_mib > 0;
  const [limitKey, spikeKey] = isFixed
    ? (['limit_mib', 'spike_limit_mib'] as const)
    : (['limit_percentage', 'spike_limit_percentage'] as const);
  const { hardBytes, softBytes } = memoryLimitsOf(settings, totalBytes);
  const faults: SettingsFault[] = [];
  // A spike limit of the other kind would be ignored silently.
  if (isFixed && settings.spike_limit_percentage > 0) {
    const message = 'applies to limit_percentage only: set spike_limit_mib for limit_mib';
    faults.push({ path: ['spike_limit_percentage'], message });
  } else if (!isFixed && settings.spike_limit_mib > 0) {
    const message = 'applies to limit_mib only: set spike_limit_percentage, or limit_mib';
    faults.push({ path: ['spike_limit_mib'], message });
  }
  if (hardBytes < LEAST_HARD_MIB * MIB) {
    const message = `expected a limit of at least ${LEAST_HARD_MIB} MiB, found ${inMib(hardBytes)} MiB: an idle collector uses 71 MiB`;
    faults.push({ path: [limitKey], message });
  } else if (softBytes <= 0) {
    const message = `expected less than ${limitKey} (${settings[limitKey]}), found ${settings[spikeKey]}: every event would be refused`;
    faults.push({ path: [spikeKey], message });
  } else if (softBytes < LEAST_SOFT_MIB * MIB) {
    const message = `expected it to leave at least ${LEAST_SOFT_MIB} MiB below the limit of ${inMib(hardBytes)} MiB, found ${inMib(softBytes)} MiB: an idle collector uses 71 MiB`;
    faults.push({ path: [spikeKey], message });
  }
  return faults;
}

/** Whole mebibytes, rounded down. */
export function inMib(bytes: number): number {
  return Math.floor(bytes / MIB);
}
