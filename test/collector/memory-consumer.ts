import type { Batch, Consumer, Outcome } from '../../collector/component/consumer.js';
import type { ReceivedEvent, StoredEvent } from '../../core/contract/stages.js';
import { toEventId, toIssueId } from '../../core/event/ids.js';
import { computeFingerprint } from '../core/fingerprint/compute-fingerprint.js';

/** A consumer that stores batches in memory; tests can make it refuse, drop or hold them. */
export interface MemoryConsumer extends Consumer {
  readonly batches: Batch[];
  readonly events: ReceivedEvent[];
  /** Called before a batch is stored: an error that it throws refuses the batch, a promise holds it. */
  before: (batch: Batch) => void | Promise<void>;
  /** Holds the next batch, and stores the batches after it at once. */
  holdNext(): HeldBatch;
  /** The outcome of an event; undefined means that it is stored. */
  outcome: (event: ReceivedEvent) => Outcome | undefined;
}

/** A batch that is held before it is stored. */
export interface HeldBatch {
  /** Resolves when the batch has arrived. */
  readonly arrived: Promise<void>;
  release(): void;
  refuse(error: Error): void;
}

export function createMemoryConsumer(): MemoryConsumer {
  const consumer: MemoryConsumer = {
    batches: [],
    events: [],
    before: () => {},
    holdNext() {
      let release = (): void => undefined;
      let refuse = (_error: Error): void => undefined;
      const held = new Promise<void>((resolve, reject) => {
        release = resolve;
        refuse = reject;
      });
      const arrived = new Promise<void>((resolve) => {
        consumer.before = () => {
          consumer.before = () => {};
          resolve();
          return held;
        };
      });
      return { arrived, release, refuse };
    },
    outcome: () => undefined,
    async consume(batch) {
      await consumer.before(batch);
      consumer.batches.push(batch);
      return batch.events.map((event) => {
        const outcome = consumer.outcome(event);
        if (outcome !== undefined) return outcome;
        consumer.events.push(event);
        return { kind: 'stored', stored: storedAs(event, consumer.events.length - 1) };
      });
    },
  };
  return consumer;
}

function storedAs(event: ReceivedEvent, line: number): StoredEvent {
  const eventId = toEventId(`01890000-0000-7000-8000-${String(line).padStart(12, '0')}`);
  const issueId = toIssueId('6ba7b810-9dad-51d1-80b4-00c04fd430c8');
  if (eventId === undefined || issueId === undefined) throw new Error('bad fixture');
  return {
    ...{ event_id: eventId, issue_id: issueId, raw: { path: '/data/raw.ndjson', line } },
    // Few responses have it, and it costs more than all else here.
    get fingerprint() {
      return computeFingerprint(event.payload).value;
    },
  };
}
