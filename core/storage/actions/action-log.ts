import { v7 } from 'uuid';
import { Fault } from '../../event/fault.js';
import { type IssueId, toIssueId } from '../../event/ids.js';
import { isJsonObject, type JsonObject, type JsonValue, parseJson } from '../../event/json.js';
import type { LogFile, LogFolder } from '../record/io/read-log.js';
import { type LineLog, openLineLog } from '../record/line-log.js';
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

/** In the data folder. */
export const ACTION_LOG: LogFile<ActionRecord> = {
  name: 'actions.ndjson',
  maxLineBytes: 256 * 1024,
  parseLine: parseActionRecord,
  what: 'action',
  complaint: 'is not an action',
};

function parseActionRecord(text: string): ActionRecord | undefined {
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

interface ActionLogOptions extends LogFolder {
  readonly clock: Pick<ArrivalClock, 'holdAbove' | 'next'>;
}

/** Opens the log for writing, under the writer lock; a torn last line is moved to `salvage/`. `clock` is set beyond the last action. */
export async function openActionLog({ clock, ...folder }: ActionLogOptions): Promise<ActionLog> {
  const { lines, log } = await openLineLog(folder, ACTION_LOG);
  for (const { atMicros } of lines) clock.holdAbove(atMicros);
  return new ActionLog(lines, log, clock);
}

/** The writing side of `actions.ndjson`. */
export class ActionLog {
  /** Content of the log when it was opened. */
  readonly actionsAtOpen: readonly ActionRecord[];
  readonly #log: LineLog;
  readonly #clock: Pick<ArrivalClock, 'next'>;

  constructor(actionsAtOpen: readonly ActionRecord[], log: LineLog, clock: Pick<ArrivalClock, 'next'>) {
    this.actionsAtOpen = actionsAtOpen;
    this.#log = log;
    this.#clock = clock;
  }

  /** An action without an id gets one. Faults: `ACTION_TOO_LARGE`, and those of `LineLog.append`. */
  async append(action: NewAction | IdentifiedAction): Promise<ActionRecord> {
    const atMicros = this.#clock.next();
    const id = 'id' in action ? action.id : v7({ msecs: Math.floor(atMicros / 1000) });
    const { issueId, actor, data } = action;
    const stored = { id, at: formatMicros(atMicros), action: action.action, issue_id: issueId, actor, data };
    const line = Buffer.from(`${JSON.stringify(stored)}\n`, 'utf8');
    if (line.length - 1 > ACTION_LOG.maxLineBytes) throw tooLarge(line.length - 1);
    await this.#log.append(line);
    return { ...action, id, atMicros };
  }

  close(): Promise<void> {
    return this.#log.close();
  }
}

function tooLarge(bytes: number): Fault {
  return new Fault(
    'ACTION_TOO_LARGE',
    `An action may have ${ACTION_LOG.maxLineBytes} bytes, this one has ${bytes}. Shorten its text.`,
  );
}
