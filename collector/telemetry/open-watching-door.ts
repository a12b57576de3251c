import type { Logger } from 'pino';
import { Fault } from '../../core/event/fault.js';
import { hasCode } from '../../core/storage/files/system-error.js';
import type { HttpDoor } from '../http/http-door.js';

/** How the door of a part that only watches is opened. */
export interface WatchingDoorOptions {
  /** Key of its address in the configuration, which a fault names. */
  readonly setting: string;
  /** Whether the collector goes on without the part where another process has its port: it is warned of in the log. */
  readonly toleratesTakenPorts: boolean;
  readonly logger: Logger;
}

/** Opens the door of a part without which events are taken all the same. Throws `LISTEN_FAILED` naming its setting. */
export async function openWatchingDoor(door: HttpDoor, options: WatchingDoorOptions): Promise<void> {
  const { setting, toleratesTakenPorts, logger } = options;
  try {
    await door.open();
  } catch (error) {
    if (!(error instanceof Fault)) throw error;
    const sentence = `${setting}: ${error.message}`;
    if (!toleratesTakenPorts || !hasCode(error.cause, 'EADDRINUSE')) {
      throw new Fault(error.code, sentence, { cause: error });
    }
    logger.warn({ code: error.code, reason: sentence }, 'not served, because the port is taken');
  }
}
