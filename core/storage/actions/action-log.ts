import { join } from 'node:path';
import { v7 } from 'uuid';
import { Fault } from '../../event/fault.js';
import type { DataFolder } from '../files/store-files.js';
import { storeClosing } from '../record/append-faults.js';
import { readLog } from '../record/io/read-log.js';
import { openLineLog } from '../record/line-log.js';
import type { ArrivalClock } from '../record/partitions/arrival-clock.js';
import {
  type ActionRecord,
  encodeActionRecord,
  MAX_ACTION_BYTES,
  type NewAction,
  readActionRecord,
} from './action-record.js';

/** How the action log is opened for writing. */
export interface ActionLogOptions extends DataFolder {
  /** The clock of the folder; held above the last action. */
  clock: ArrivalClock;
  /** Called with Fault `RECORD_DAMAGED` for each line that is no action, and with `STORE_UNAVAILABLE` when a refused action cannot be cut yet. */
  onFault?: (fault: Fault) => void;
}

/**
 * The append side of `actions.ndjson`, under the writer lock; always synced, whatever the durability of events.
 * `append` resolves when the action is on the disk; actions are written in the order of the calls. Faults: `STORE_CLOSING`, `STORE_UNAVAILABLE`,
 * `RECORD_MOVED` (all retryable, nothing was kept), `ACTION_TOO_LARGE`. `close` lets running appends finish and is safe twice.
 */
export interface ActionLog {
  /** What the log held when it was opened, in order. */
  readonly actionsAtOpen: readonly ActionRecord[];
  append(action: NewAction): Promise<ActionRecord>;
  close(): Promise<void>;
}

/** Opens the log; a torn last line is copied to `salvage/` and cut. */
export async function openActionLog(options: ActionLogOptions): Promise<ActionLog> {
  const { clock } = options;
  const { actions, end } = await readActions(options);
  const log = await openLineLog({ ...options, name: ACTIONS_FILE, end, what: 'action' });
  for (const { atMicros } of actions) clock.holdAbove(atMicros);

  const write = async (action: NewAction): Promise<ActionRecord> => {
    const atMicros = clock.next();
    const record = { ...action, id: v7({ msecs: Math.floor(atMicros / 1000) }), atMicros };
    const line = Buffer.from(encodeActionRecord(record), 'utf8');
    if (line.length - 1 > MAX_ACTION_BYTES) throw tooLarge(line.length - 1);
    await log.append(line);
    return record;
  };

  let closed: Promise<void> | undefined;
  let last: Promise<unknown> = Promise.resolve();
  return {
    actionsAtOpen: actions,
    append(action) {
      if (closed !== undefined) return Promise.reject(storeClosing());
      const done = last.then(() => write(action));
      last = done.catch(() => undefined);
      return done;
    },
    close() {
      closed ??= last.then(() => log.close());
      return closed;
    },
  };
}

function tooLarge(bytes: number): Fault {
  return new Fault(
    'ACTION_TOO_LARGE',
    `An action may have ${MAX_ACTION_BYTES} bytes, this one has ${bytes}. Shorten its text.`,
  );
}

/** Name of the action log in the data folder. */
export const ACTIONS_FILE = 'actions.ndjson';

/** What the action log holds. */
interface ReadActions {
  /** In the order in which they were taken. */
  readonly actions: readonly ActionRecord[];
  /** Where the last whole line ends: what is behind it is torn. */
  readonly end: number;
}

/** Reads all actions of a folder as `readLog` does. */
export async function readActions(options: DataFolder & { onFault?: (fault: Fault) => void }): Promise<ReadActions> {
  const { lines, end } = await readLog({
    path: join(options.directory, ACTIONS_FILE),
    files: options.files,
    maxLineBytes: MAX_ACTION_BYTES,
    readLine: readActionRecord,
    complaint: 'is no action',
    onFault: options.onFault,
  });
  return { actions: lines, end };
}
