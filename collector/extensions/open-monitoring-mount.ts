import type { Logger } from 'pino';
import { Fault } from '../../core/event/fault.js';
import { hasCode } from '../../core/storage/files/system-error.js';
import type { HttpMount } from '../http/server/http-mount.js';

/** Opens a mount. A taken port that is tolerated is logged; else `LISTEN_FAILED` names `setting`, the key of the address. */
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
    logger.warn({ code: error.code, reason: sentence }, 'not served, because the port is in use');
  }
}
