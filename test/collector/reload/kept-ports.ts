import type { Settings } from '../../../generated/settings.js';
import { freePort } from '../../helpers/free-port.js';
import { temporaryFolder } from '../../helpers/temporary-folder.js';
import { settingsFor } from '../running-service.js';

/** Settings by sets, always on the same ports and in the same folder, without processors. */
export interface KeptPorts {
  readonly directory: string;
  /** Of receiver `events`. */
  readonly port: number;
  settings(...sets: string[]): Settings;
}

export async function onKeptPorts(): Promise<KeptPorts> {
  const [directory, port, queryPort] = [await temporaryFolder(), await freePort(), await freePort()];
  const kept = [
    `receivers.events.endpoint=127.0.0.1:${port}`,
    `extensions.query.endpoint=127.0.0.1:${queryPort}`,
    'service.pipelines.events.processors=[]',
  ];
  return { directory, port, settings: (...sets) => settingsFor(directory, ...kept, ...sets) };
}
