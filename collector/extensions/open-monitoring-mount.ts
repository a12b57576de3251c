import type { Logger } from 'pino';
import { Fault } from '../../core/event/fault.js';
import { hasCode } from '../../core/storage/files/system-error.js';
import type { HttpMount } from '../http/server/http-mount.js';

/**
 * Opens the mount of a part without which events are taken all the same. Throws `LISTEN_FAILED` naming `setting`, the key of its address; but where another
 * process has the port and that is tolerated, the log warns and the collector goes on without the part.
 */
export async function openMonitoringMount(
  mount: HttpMount,
  setting: string,
  toleratesTakenPorts: boolean,
  logger: Logger,
): Promise<void> {
  try {
    await mount.open();
  } catch (error) {
    if (!(error instanceof Fault)) throw error;
    const sentence = `${setting}: ${error.message}`;
    if (!toleratesTakenPorts || !hasCode(error.cause, 'EADDRINUSE')) {
      throw new Fault(error.code, sentence, { cause: error });
    }
    logger.warn({ code: error.code, reason: sentence }, 'not served, because the port is taken');
  }
}
