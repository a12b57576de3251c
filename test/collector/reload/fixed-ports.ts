import type { Settings } from '../../../generated/settings.js';
import { freePort } from '../../helpers/free-port.js';
import { temporaryFolder } from '../../helpers/temporary-folder.js';
import { settingsFor } from '../running-service.js';

/** Settings that always have the same ports and the same folder, without processors. */
export interface FixedPorts {
  readonly directory: string;
  /** Port of receiver `events`. */
  readonly port: number;
  settings(...sets: string[]): Settings;
}

export async function onFixedPorts(): Promise<FixedPorts> {
  const [directory, port, queryPort] = [await temporaryFolder(), await freePort(), await freePort()];
  const fixed = [
    `receivers.events.endpoint=127.0.0.1:${port}`,
    `extensions.query.endpoint=127.0.0.1:${queryPort}`,
    'service.pipelines.events.processors=[]',
  ];
  return { directory, port, settings: (...sets) => settingsFor(directory, ...fixed, ...sets) };
}
