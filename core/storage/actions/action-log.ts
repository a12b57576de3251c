import { join } from 'node:path';
import { v7 } from 'uuid';
import { Fault } from '../../event/fault.js';
import { type IssueId, toIssueId } from '../../event/ids.js';
import { isJsonObject, type JsonObject, type JsonValue, parseJson } from '../../event/json.js';
import type { DataFolder } from '../files/store-files.js';
import { storeClosing } from '../record/append-faults.js';
import { readLog } from '../record/io/read-log.js';
import { openLineLog } from '../record/line-log.js';
import { type ArrivalClock, formatMicros, parseMicros } from '../record/partitions/arrival-clock.js';

/** An action on an issue, before it is stored. */
export interface NewAction {
  readonly action: string;
  readonly issueId: IssueId;
  /** Null if unsigned. */
  readonly actor: string | null;
  readonly data: JsonObject;
}

/** An action with the id that it has in every store. */
export interface IdentifiedAction extends NewAction {
  /** UUIDv7, lower case. */
  readonly id: string;
}

/** One line of `actions.ndjson`: `{"id","at","action","issue_id","actor","data"}`. */
export interface ActionRecord extends IdentifiedAction {
  /** Microseconds since the epoch, on the clock of receipts. */
  readonly atMicros: number;
}

/** Most bytes of a line, without its newline. */
export const MAX_ACTION_BYTES = 256 * 1024;

/** Parses a line without its newline; undefined if it is not an action. */
export function parseActionRecord(text: string): ActionRecord | undefined {
  const value = parseJson(text);
  const action = parseAction(value);
  if (action === undefined || !isJsonObject(value) || typeof value['at'] !== 'string') return undefined;
  const atMicros = parseMicros(value['at']);
  return atMicros === undefined ? undefined : { ...action, atMicros };
}

/** Parses an action without its time; undefined if it is not an action. */
export function parseAction(value: JsonValue | undefined): IdentifiedAction | undefined {
  if (!isJsonObject(value)) return undefined;
  const { id, action, issue_id: issueIdText, actor, data } = value;
  if (typeof id !== 'string' || typeof action !== 'string') return undefined;
  if (typeof issueIdText !== 'string' || !isJsonObject(data)) return undefined;
  if (actor !== null && typeof actor !== 'string') return undefined;
  const issueId = toIssueId(issueIdText);
  return issueId === undefined ? undefined : { id, action, issueId, actor, data };
}

interface ActionLogOptions extends DataFolder {
  /** Set beyond the last action. */
  clock: ArrivalClock;
  /** Called with `RECORD_DAMAGED` for lines that are not actions, and `STORE_UNAVAILABLE` if a rejected action cannot be cut off yet. */
  onFault?: (fault: Fault) => void;
}

/**
 * The writing side of `actions.ndjson`, under the writer lock; always synced. Actions are written in the order of calls. `append` resolves
 * when the action is durable. Faults: `ACTION_TOO_LARGE`, and, retryable with nothing stored, `STORE_CLOSING`, `STORE_UNAVAILABLE`,
 * `RECORD_MOVED`. `close` waits for running appends and is safe to call twice.
 */
export interface ActionLog {
  /** Content of the log when it was opened. */
  readonly actionsAtOpen: readonly ActionRecord[];
  /** An action without an id gets one. */
  append(action: NewAction | IdentifiedAction): Promise<ActionRecord>;
  close(): Promise<void>;
}

/** Opens the log; a torn last line is moved to `salvage/`. */
export async function openActionLog(options: ActionLogOptions): Promise<ActionLog> {
  const { clock } = options;
  const { actions, end } = await readActions(options);
  const log = await openLineLog({ ...options, name: ACTIONS_FILE, end, what: 'action' });
  for (const { atMicros } of actions) clock.holdAbove(atMicros);

  const write = async (action: NewAction | IdentifiedAction): Promise<ActionRecord> => {
    const atMicros = clock.next();
    const id = 'id' in action ? action.id : v7({ msecs: Math.floor(atMicros / 1000) });
    const { issueId, actor, data } = action;
    const stored = { id, at: formatMicros(atMicros), action: action.action, issue_id: issueId, actor, data };
    const line = Buffer.from(`${JSON.stringify(stored)}\n`, 'utf8');
    if (line.length - 1 > MAX_ACTION_BYTES) throw tooLarge(line.length - 1);
    await log.append(line);
    return { ...action, id, atMicros };
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

/** In the data folder. */
export const ACTIONS_FILE = 'actions.ndjson';

/** Content of the action log. */
interface LoadedActions {
  /** In order of time. */
  readonly actions: readonly ActionRecord[];
  /** End of the last whole line; the rest is torn. */
  readonly end: number;
}

/** Reads all actions of a folder, as `readLog` does. */
export async function readActions(options: DataFolder & { onFault?: (fault: Fault) => void }): Promise<LoadedActions> {
  const { lines, end } = await readLog({
    path: join(options.directory, ACTIONS_FILE),
    files: options.files,
    maxLineBytes: MAX_ACTION_BYTES,
    parseLine: parseActionRecord,
    complaint: 'is not an action',
    onFault: options.onFault,
  });
  return { actions: lines, end };
}
