import { Fault } from '../../event/fault.js';

/** The fault of an append to a store that is closing. */
export function storeClosing(): Fault {
  return new Fault('STORE_CLOSING', 'The store is closing and accepts no more writes. Send it again in a moment.', {
    retryable: true,
  });
}

/** The fault of an append that exceeds the bound on queued bytes. */
export function storeOverloaded(maxQueuedBytes: number): Fault {
  return new Fault(
    'STORE_OVERLOADED',
    `More than ${maxQueuedBytes} bytes of events wait for the disk. Send the batch again in a moment.`,
    { retryable: true },
  );
}

/** The message of any thrown value, for use within a sentence. */
export function reasonOf(error: unknown): string {
  const hasMessage = typeof error === 'object' && error !== null && 'message' in error;
  return String(hasMessage ? error.message : error);
}

/** Reports that a file of the store was moved, removed or changed by another process. `state` describes what is at the path, without a full stop. */
export class RecordMoved extends Fault {
  readonly path: string;

  constructor(path: string, state: string) {
    const sentence = `${path} was moved, removed or changed by another process while the store was open: ${state}. Nothing is stored until the store is opened again; send it again in a moment.`;
    super('RECORD_MOVED', sentence, { retryable: true });
    this.path = path;
  }
}

/** The fault of an append that the disk refused; a Fault is returned unchanged. */
export function storeUnavailable(cause: unknown): Fault {
  if (cause instanceof Fault) return cause;
  return new Fault(
    'STORE_UNAVAILABLE',
    `The record could not be written: ${reasonOf(cause)}. Nothing was stored; send it again once the disk accepts writes.`,
    { cause, retryable: true },
  );
}

/** The fault of a record that could not be synced under `durability: os`; a Fault is returned unchanged. */
export function recordNotSynced(cause: unknown): Fault {
  if (cause instanceof Fault) return cause;
  return new Fault(
    'STORE_UNAVAILABLE',
    `The record could not be synced: ${reasonOf(cause)}. A power failure may lose the events since the last sync, which is repeated until it succeeds.`,
    { cause, retryable: true },
  );
}
