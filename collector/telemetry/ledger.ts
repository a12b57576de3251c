import type { CutCounts } from '../../core/event/validate/repairs.js';
import type { ReceiverLedger } from '../../generated/reader-answers.js';
import type { Meters } from './meters.js';

/** What became of a payload that was not stored. */
export type Loss = 'rejected' | 'filtered' | 'sampled' | 'refused';

/** The accounts of all receivers, from the start of the process. */
export interface Ledger {
  /** The account of one receiver id; made at the first call. */
  account(receiver: string): ReceiverAccount;
  /** A copy, by receiver id. */
  snapshot(): Record<string, ReceiverLedger>;
}

/**
 * Counts a request of one receiver by the status of HTTP that it was answered with, or would have been; undefined where its sender left first.
 */
export type RequestCounter = (status: number | undefined) => void;

/** Reason codes are ours and few; what comes beyond is counted as `OTHER`, so that a processor's free words cannot fill the memory. */
const MAX_REASONS = 1_000;
/** What a sender may try again; for all else it has to change the request. */
const REFUSED = [429, 503];

/** Builds an empty ledger. */
export function createLedger(): Ledger {
  const books = new Map<string, ReceiverAccount>();
  return {
    account(receiver) {
      const book = books.get(receiver) ?? new ReceiverAccount();
      books.set(receiver, book);
      return book;
    },
    snapshot: () => Object.fromEntries([...books].map(([receiver, book]) => [receiver, book.copy()])),
  };
}

/**
 * One receiver's account of promise 5. What was received is counted with what became of it, in one step, so that
 * `received = stored + rejected + filtered + sampled + refused` holds at every moment. A body that could not be read as events counts as one.
 */
export class ReceiverAccount {
  readonly #counts = { received: 0, stored: 0, rejected: 0, filtered: 0, sampled: 0, refused: 0 };
  readonly #reasons = new Map<string, number>();
  readonly #cuts = new Map<string, number>();
  readonly #lostByClients = new Map<string, number>();

  /** Counts one stored event and its fields that were cut, by limit. */
  stored(cuts: CutCounts): void {
    this.#counts.received++;
    this.#counts.stored++;
    for (const [limit, fields] of Object.entries(cuts)) add(this.#cuts, limit, fields);
  }

  /** Counts what was not stored, under a reason code; one event unless told. */
  count(as: Loss, reason: string, events = 1): void {
    this.#counts.received += events;
    this.#counts[as] += events;
    add(this.#reasons, reason, events);
  }

  /** Counts what the sender says it lost itself before it came here; no part of what was received. */
  lostByClient(reason: string, events: number): void {
    add(this.#lostByClients, reason, events);
  }

  copy(): ReceiverLedger {
    return {
      ...this.#counts,
      reasons: Object.fromEntries(this.#reasons),
      cuts: Object.fromEntries(this.#cuts),
      lost_by_clients: Object.fromEntries(this.#lostByClients),
    };
  }
}

function add(counts: Map<string, number>, name: string, by: number): void {
  const key = counts.has(name) || counts.size < MAX_REASONS ? name : 'OTHER';
  counts.set(key, (counts.get(key) ?? 0) + by);
}

/** Binds the counters of a receiver and transport, which are 0 from then on. */
export function createRequestCounter(meters: Meters, receiver: string, transport: 'http' | 'grpc'): RequestCounter {
  const of = (outcome: string) => meters.counter('faultline_receiver_requests', { receiver, transport, outcome });
  const [success, refused, failure] = [of('success'), of('refused'), of('failure')];
  return (status) => {
    if (status !== undefined && status < 300) success.add();
    else if (status !== undefined && REFUSED.includes(status)) refused.add();
    else failure.add();
  };
}
