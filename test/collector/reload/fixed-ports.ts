import type { Settings } from '../../../generated/settings.js';
import { temporaryFolder } from '../../helpers/temporary-folder.js';
import { settingsFor } from '../running-service.js';

/** Settings that always have the same endpoints and the same folder, without processors. Reloads keep the ports that the first start got. */
export interface FixedPorts {
  readonly directory: string;
  settings(...sets: string[]): Settings;
}

/** Adds a processor, so that a reload replaces the pipelines. */
export const LIMITER = [
  'processors.memory_limiter.limit_mib=100000',
  'service.pipelines.events.processors=[memory_limiter]',
];

export async function onFixedPorts(): Promise<FixedPorts> {
  const directory = await temporaryFolder();
  return {
    directory,
    settings: (...sets) => settingsFor(directory, 'service.pipelines.events.processors=[]', ...sets),
  };
}
