import type { ReceivedEvent, StoredEvent } from '../../core/contract/stages.js';
import type { RejectedPayload } from '../../core/storage/dead-letters/rejected-payload.js';

/** Events of one batch: at most so many, and about so many bytes of JSON; an event that is larger is a batch of its own. */
export const MAX_BATCH_EVENTS = 500;
export const MAX_BATCH_BYTES = 1024 * 1024;

/** Events that travel together, and what is known of their arrival. */
export interface Batch {
  /** Id of the receiver in the configuration, for example `events` or `events/browser`. */
  readonly receiver: string;
  readonly events: readonly ReceivedEvent[];
  /** Set when the sender named the batch, so that a repeated one is recognised. */
  readonly batchId?: string;
  /**
   * Payloads that the receiver has rejected, for the dead letters of every store; absent: none. They have no outcome, and a batch may consist of
   * them alone. A processor hands all of them on, also when it drops every event; it may change what is kept of them, as `redaction` does.
   */
  readonly rejected?: readonly RejectedPayload[];
}

/** What became of the event at the same place in the batch. */
export type Outcome =
  | { readonly kind: 'stored'; readonly stored: StoredEvent }
  | { readonly kind: 'dropped'; readonly as: 'filtered' | 'sampled'; readonly reason: string };

/**
 * The next room of the line, whatever it is: receivers hand a batch to a consumer, processors are consumers that hold the next one.
 * Resolves when every event of the batch is durable or dropped on purpose, one outcome per event in the same order. Rejects with a Fault when the
 * whole batch was refused (nothing of it stays); `retryable` tells whether to send it again.
 */
export interface Consumer {
  consume(batch: Batch): Promise<readonly Outcome[]>;
}
