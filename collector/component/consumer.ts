import type { ReceivedEvent, SenderOrigin, StoredEvent } from '../../core/contract/stages.js';
import type { RejectedPayload } from '../../core/storage/dead-letters/dead-letter.js';

/** Limits of one batch: events, and bytes of JSON (approximate). A larger event is a batch of its own. */
export const MAX_BATCH_EVENTS = 500;
export const MAX_BATCH_BYTES = 1024 * 1024;

/** Events that pass the pipeline together. */
export interface Batch {
  /** Id of the receiver in the configuration, for example `events` or `events/browser`. */
  readonly receiver: string;
  readonly events: readonly ReceivedEvent[];
  /** Set if the sender named the batch, so that a repetition is recognised. */
  readonly batchId?: string;
  /** Who sent the batch; absent: unknown. */
  readonly origin?: SenderOrigin | undefined;
  /** Payloads that the receiver rejected, for the dead letters of every store; absent: none. A processor may change them, as `redaction` does, and forwards all; a batch may consist of them alone. */
  readonly rejected?: readonly RejectedPayload[];
}

/** The result for the event at the same index of the batch. */
export type Outcome =
  | { readonly kind: 'stored'; readonly stored: StoredEvent }
  | { readonly kind: 'dropped'; readonly as: 'filtered' | 'sampled'; readonly reason: string };

/** The next component of the pipeline: resolves when every event of the batch is durable or dropped on purpose, with one outcome per event in order; rejects with a Fault if nothing of the batch is stored. */
export interface Consumer {
  consume(batch: Batch): Promise<readonly Outcome[]>;
  /** Returns a small event encoded and grouped, so that its payload can be freed while its batch fills; absent if something before the store reads payloads. */
  readonly prepare?: (event: ReceivedEvent) => ReceivedEvent;
}
