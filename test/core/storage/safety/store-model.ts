import type { FingerprintedEvent, StoredEvent } from '../../../../core/contract/stages.js';
import type { EventId } from '../../../../core/event/ids.js';
import type { ActionRecord, NewAction } from '../../../../core/storage/actions/action-log.js';
import { parseEventId } from '../../../../core/storage/record/partitions/event-id.js';
import { lineOf } from '../record/record-events.js';
import type { RecordScan, ScannedLine } from './record-scan.js';

/** An event that must be in the store. */
export interface KnownEvent {
  readonly eventId: EventId;
  /** Path of its raw file, relative to the data folder. */
  readonly path: string;
  readonly line: number;
  readonly text: string;
  /** Error name and service, which decide its issue. */
  readonly issue: string;
}

/** A sent event that was neither acknowledged nor rejected. */
interface DoubtfulEvent {
  readonly text: string;
  readonly batch: number;
  /** Index among the events of its batch in the same partition. */
  readonly index: number;
}

/** A batch without a response yet. */
export interface SentBatch {
  readonly number: number;
  readonly events: readonly FingerprintedEvent[];
}

/**
 * The expected content of a store, in plain maps. An event is doubtful until its response; if its process ends before, the next
 * opening decides whether it was stored.
 */
export class StoreModel {
  /** By message. */
  readonly known = new Map<string, KnownEvent>();
  readonly actions = new Map<string, ActionRecord>();
  readonly #doubtful = new Map<string, DoubtfulEvent>();
  #doubtfulActions: NewAction[] = [];
  #batches = 0;
  #isEnding = false;

  copy(): StoreModel {
    const copy = new StoreModel();
    for (const [message, event] of this.known) copy.known.set(message, event);
    for (const [id, action] of this.actions) copy.actions.set(id, action);
    for (const [message, event] of this.#doubtful) copy.#doubtful.set(message, event);
    copy.#doubtfulActions = [...this.#doubtfulActions];
    copy.#batches = this.#batches;
    copy.#isEnding = this.#isEnding;
    return copy;
  }

  /** The number of batches sent. */
  get batches(): number {
    return this.#batches;
  }

  /** The process is dying: until `settle`, results are discarded. */
  end(): void {
    this.#isEnding = true;
  }

  send(events: readonly FingerprintedEvent[]): SentBatch {
    this.#batches += 1;
    const counts = new Map<string, number>();
    for (const event of events) {
      const { payload } = event;
      const partition = `${payload.env}/${payload.service}`;
      const index = counts.get(partition) ?? 0;
      counts.set(partition, index + 1);
      const text = lineOf(event).toString('utf8');
      this.#doubtful.set(payload.message, { text, batch: this.#batches, index });
    }
    return { number: this.#batches, events };
  }

  acknowledge({ events }: SentBatch, stored: readonly StoredEvent[], directory: string): void {
    if (this.#isEnding) return;
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

  /** The store rejected a batch and continues: its events must never be found. */
  reject({ events }: SentBatch): void {
    if (this.#isEnding) return;
    for (const { payload } of events) this.#doubtful.delete(payload.message);
  }

  sendAction(action: NewAction): void {
    this.#doubtfulActions.push(action);
  }

  acknowledgeAction(action: NewAction, record: ActionRecord): void {
    if (this.#isEnding) return;
    this.actions.set(record.id, record);
    this.#doubtfulActions = this.#doubtfulActions.filter((one) => one !== action);
  }

  /** Removes and returns the events received before a timestamp, for retention. */
  forget(beforeMicros: number): readonly KnownEvent[] {
    const removed = [...this.known].filter(([, { eventId }]) => receivedAtOf(eventId) < beforeMicros);
    for (const [message] of removed) this.known.delete(message);
    return removed.map(([, event]) => event);
  }

  /**
   * Compares with the content of a reopened folder. Doubtful events that were found become known; the others are forgotten.
   * With `mayLose` (a power failure with durability `os`) known events may be missing, or have new ids if their lines lost their commit record.
   */
  settle({ lines }: RecordScan, found: readonly ActionRecord[], options: { mayLose: boolean }): void {
    const byMessage = new Map(lines.map((line) => [line.message, line]));
    // One comparison for all events: an `expect` for each takes most of the time.
    const duplicates = lines.length - byMessage.size;
    const missing = [...this.known.keys()].filter((message) => !byMessage.has(message));
    const unknown = lines.filter(({ message }) => !this.known.has(message) && !this.#doubtful.has(message));
    const changed = lines.filter((line) => !this.#isAsSent(line, options.mayLose));
    expect({ duplicates, missing: options.mayLose ? [] : missing, unknown, changed }).toEqual({
      duplicates: 0,
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
    this.#isEnding = false;
    this.#settleActions(found);
  }

  #isAsSent({ message, eventId, folder, line, text }: ScannedLine, mayMove: boolean): boolean {
    const known = this.known.get(message);
    if (known === undefined || mayMove) return text === ((known ?? this.#doubtful.get(message))?.text ?? text);
    return (
      known.eventId === eventId && known.path === `${folder}/raw.ndjson` && known.line === line && known.text === text
    );
  }

  /** Each partition has a prefix of a batch without a response: none, some or all of its events, in order. */
  #expectPrefixes(lines: readonly ScannedLine[]): void {
    const next = new Map<string, number>();
    for (const { message, folder } of lines) {
      const doubtful = this.#doubtful.get(message);
      if (doubtful === undefined) continue;
      const key = `${doubtful.batch} ${folder}`;
      expect({ message, index: doubtful.index }).toEqual({ message, index: next.get(key) ?? 0 });
      next.set(key, doubtful.index + 1);
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
