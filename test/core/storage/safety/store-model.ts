import type { FingerprintedEvent, StoredEvent } from '../../../../core/contract/stages.js';
import type { EventId } from '../../../../core/event/ids.js';
import type { ActionRecord, NewAction } from '../../../../core/storage/actions/action-log.js';
import { parseEventId } from '../../../../core/storage/record/partitions/event-id.js';
import { lineOf } from '../record/record-events.js';
import type { RecordScan, ScannedLine } from './record-scan.js';

/** An event that is in the store and stays there. */
export interface KnownEvent {
  readonly eventId: EventId;
  /** Path of its raw file, from the data folder. */
  readonly path: string;
  readonly line: number;
  readonly text: string;
  /** Error name and service: what makes it one issue with others. */
  readonly issue: string;
}

/** A sent event that was neither acknowledged nor rejected. */
interface DoubtfulEvent {
  readonly text: string;
  readonly batch: number;
  /** Place among those of its batch that go to the same partition. */
  readonly place: number;
}

/** A batch on its way. */
export interface SentBatch {
  readonly number: number;
  readonly events: readonly FingerprintedEvent[];
}

/**
 * What must be true of a store, in plain maps. An event is doubtful from its sending to its answer; one whose process ended before the answer may be
 * found when the folder is opened again, or not, and that decides.
 */
export class StoreModel {
  /** By message. */
  readonly known = new Map<string, KnownEvent>();
  readonly actions = new Map<string, ActionRecord>();
  readonly #doubtful = new Map<string, DoubtfulEvent>();
  #doubtfulActions: NewAction[] = [];
  #batches = 0;
  #isOver = false;

  /** Another one that says the same. */
  copy(): StoreModel {
    const copy = new StoreModel();
    for (const [message, event] of this.known) copy.known.set(message, event);
    for (const [id, action] of this.actions) copy.actions.set(id, action);
    for (const [message, event] of this.#doubtful) copy.#doubtful.set(message, event);
    copy.#doubtfulActions = [...this.#doubtfulActions];
    copy.#batches = this.#batches;
    copy.#isOver = this.#isOver;
    return copy;
  }

  /** Batches that were sent so far. */
  get batches(): number {
    return this.#batches;
  }

  /** The process is dying: until `settle`, results are discarded. */
  end(): void {
    this.#isOver = true;
  }

  send(events: readonly FingerprintedEvent[]): SentBatch {
    this.#batches += 1;
    const places = new Map<string, number>();
    for (const event of events) {
      const { payload } = event;
      const partition = `${payload.env}/${payload.service}`;
      const index = places.get(partition) ?? 0;
      places.set(partition, index + 1);
      const text = lineOf(event).toString('utf8');
      this.#doubtful.set(payload.message, { text, batch: this.#batches, place: index });
    }
    return { number: this.#batches, events };
  }

  acknowledge({ events }: SentBatch, stored: readonly StoredEvent[], directory: string): void {
    if (this.#isOver) return;
    expect(stored.length).toBe(events.length);
    for (const [index, { payload }] of events.entries()) {
      const { event_id: eventId, raw } = stored[index] as StoredEvent;
      const text = this.#doubtful.get(payload.message)?.text ?? '';
      const path = raw.path.slice(directory.length + 1);
      const issue = `${payload.error_name} ${payload.service}`;
      this.known.set(payload.message, { eventId, path, line: raw.line, text, issue });
      this.#doubtful.delete(payload.message);
    }
  }

  /** Refused while the store went on: nothing of it may ever be found. */
  refuse({ events }: SentBatch): void {
    if (this.#isOver) return;
    for (const { payload } of events) this.#doubtful.delete(payload.message);
  }

  sendAction(action: NewAction): void {
    this.#doubtfulActions.push(action);
  }

  acknowledgeAction(action: NewAction, record: ActionRecord): void {
    if (this.#isOver) return;
    this.actions.set(record.id, record);
    this.#doubtfulActions = this.#doubtfulActions.filter((one) => one !== action);
  }

  /** Drops and returns events that retention removed: those received before a timestamp. */
  forget(beforeMicros: number): readonly KnownEvent[] {
    const gone = [...this.known].filter(([, { eventId }]) => receivedAtOf(eventId) < beforeMicros);
    for (const [message] of gone) this.known.delete(message);
    return gone.map(([, event]) => event);
  }

  /**
   * Compares with what a newly opened folder holds. Doubtful events that are found are known from now on; the others are lost for good.
   * With `mayLose` (a loss of power under `os`) known events may be missing, and are forgotten, or have become others of the same bytes: their lines
   * were left without their commit record.
   */
  settle({ lines }: RecordScan, found: readonly ActionRecord[], options: { mayLose: boolean }): void {
    const byMessage = new Map(lines.map((line) => [line.message, line]));
    // One comparison for all: `expect` for each event takes most of the time of a long run.
    const doubled = lines.length - byMessage.size;
    const missing = [...this.known.keys()].filter((message) => !byMessage.has(message));
    const unknown = lines.filter(({ message }) => !this.known.has(message) && !this.#doubtful.has(message));
    const changed = lines.filter((line) => !this.#isAsSent(line, options.mayLose));
    expect({ doubled, missing: options.mayLose ? [] : missing, unknown, changed }).toEqual({
      doubled: 0,
      missing: [],
      unknown: [],
      changed: [],
    });
    for (const message of missing) this.known.delete(message);
    this.#expectPrefixes(lines);
    for (const { message, eventId, folder, line, text, errorName, service } of lines) {
      const issue = `${errorName} ${service}`;
      this.known.set(message, { eventId, path: `${folder}/raw.ndjson`, line, text, issue });
    }
    this.#doubtful.clear();
    this.#isOver = false;
    this.#settleActions(found);
  }

  #isAsSent({ message, eventId, folder, line, text }: ScannedLine, mayMove: boolean): boolean {
    const known = this.known.get(message);
    if (known === undefined || mayMove) return text === ((known ?? this.#doubtful.get(message))?.text ?? text);
    return (
      known.eventId === eventId && known.path === `${folder}/raw.ndjson` && known.line === line && known.text === text
    );
  }

  /** Of a batch that was not answered each partition has the first events, none or some or all, in their order. */
  #expectPrefixes(lines: readonly ScannedLine[]): void {
    const next = new Map<string, number>();
    for (const { message, folder } of lines) {
      const doubtful = this.#doubtful.get(message);
      if (doubtful === undefined) continue;
      const part = `${doubtful.batch} ${folder}`;
      expect({ message, place: doubtful.place }).toEqual({ message, place: next.get(part) ?? 0 });
      next.set(part, doubtful.place + 1);
    }
  }

  #settleActions(found: readonly ActionRecord[]): void {
    const ids = new Set(found.map(({ id }) => id));
    expect(ids.size).toBe(found.length);
    expect([...this.actions.keys()].filter((id) => !ids.has(id))).toEqual([]);
    for (const record of found) {
      const known = this.actions.get(record.id);
      const sent = known ?? this.#doubtfulActions.find(({ data }) => data['text'] === record.data['text']);
      expect(record).toEqual({ ...sent, id: record.id, atMicros: known?.atMicros ?? record.atMicros });
      this.actions.set(record.id, record);
    }
    this.#doubtfulActions = [];
  }
}

function receivedAtOf(eventId: EventId): number {
  return parseEventId(eventId)?.receivedAtMicros ?? 0;
}
