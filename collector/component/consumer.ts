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
  /**
   * Payloads that the receiver rejected, for the dead letters of every store; absent: none. They have no outcome, and a
   * batch may consist of them alone. A processor forwards all of them, also if it drops every event; it may change
   * their content, as `redaction` does.
   */
  readonly rejected?: readonly RejectedPayload[];
}

/** The result for the event at the same index of the batch. */
export type Outcome =
  | { readonly kind: 'stored'; readonly stored: StoredEvent }
  | { readonly kind: 'dropped'; readonly as: 'filtered' | 'sampled'; readonly reason: string };

/**
 * The next component of the pipeline: a processor or an exporter. Resolves when every event of the batch is durable or
 * dropped on purpose, with one outcome per event in the same order. Rejects with a Fault if the whole batch was refused
 * (nothing of it is stored); `retryable` says whether to send it again.
 */
export interface Consumer {
  consume(batch: Batch): Promise<readonly Outcome[]>;
  /**
   * Returns the event encoded and grouped, so that its payload can be freed while its batch fills. Present if nothing before the store reads
   * payloads. Synchronous: for small events.
   */
  readonly prepare?: (event: ReceivedEvent) => ReceivedEvent;
}
