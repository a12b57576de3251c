import { Fault } from '../../event/fault.js';

/** The fault of an append to a store that is going down. */
export function storeClosing(): Fault {
  return new Fault('STORE_CLOSING', 'The store is closing and takes nothing more. Send it again in a moment.', {
    retryable: true,
  });
}

/** The fault of an append for which there is no room in memory. */
export function storeOverloaded(maxQueuedBytes: number): Fault {
  return new Fault(
    'STORE_OVERLOADED',
    `More than ${maxQueuedBytes} bytes of events wait for the disk. Send the batch again in a moment.`,
    { retryable: true },
  );
}

/** What an error says of itself, for use within a sentence. */
export function reasonOf(error: unknown): string {
  const hasMessage = typeof error === 'object' && error !== null && 'message' in error;
  return String(hasMessage ? error.message : error);
}

/** A file of the store is not at its path any more as the store left it. `found` says what is, without a full stop. */
export class RecordMoved extends Fault {
  readonly path: string;

  constructor(path: string, found: string) {
    const sentence = `${path} was moved, removed or changed by something else while the store was open: ${found}. Nothing more is stored until the store is opened again; send it again in a moment.`;
    super('RECORD_MOVED', sentence, { retryable: true });
    this.path = path;
  }
}

/** The fault of an append that the disk refused; what says so itself is answered as it is. */
export function storeUnavailable(cause: unknown): Fault {
  if (cause instanceof Fault) return cause;
  return new Fault(
    'STORE_UNAVAILABLE',
    `The record could not be written: ${reasonOf(cause)}. Nothing of it was kept; send it again once the disk takes writes.`,
    { cause, retryable: true },
  );
}
