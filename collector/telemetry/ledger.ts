import type { CutCounts } from '../../core/event/validate/repairs.js';
import type { ReceiverLedger } from '../../generated/reader-answers.js';
import type { Meters } from './meters.js';

/** The outcome of a payload that was not stored. */
export type UnstoredOutcome = 'rejected' | 'filtered' | 'sampled' | 'refused';

/** Counts a request by its HTTP status, or the one its outcome maps to; undefined if the client disconnected first. */
export type RequestCounter = (status: number | undefined) => void;

/** Further reasons are counted as `OTHER`, so that free text of a processor cannot fill the memory. */
const MAX_REASONS = 1_000;
/** Statuses that a sender may retry; after any other it has to change the request. */
const REFUSED = [429, 503];

/** The accounts of all receivers since the start of the process. */
export class Ledger {
  readonly #accounts = new Map<string, ReceiverAccount>();

  /** Returns the account of a receiver id, which the first call creates. */
  account(receiver: string): ReceiverAccount {
    const account = this.#accounts.get(receiver) ?? new ReceiverAccount();
    this.#accounts.set(receiver, account);
    return account;
  }

  /** A copy, by receiver id. */
  snapshot(): Record<string, ReceiverLedger> {
    return Object.fromEntries([...this.#accounts].map(([receiver, account]) => [receiver, account.copy()]));
  }
}

/** The account of one receiver: received = stored + rejected + filtered + sampled + refused at any time. An unparsed body counts as one. */
export class ReceiverAccount {
  readonly #counts = { received: 0, stored: 0, rejected: 0, filtered: 0, sampled: 0, refused: 0 };
  readonly #reasons = new Map<string, number>();
  readonly #cuts = new Map<string, number>();
  readonly #lostByClients = new Map<string, number>();

  /** Counts one stored event and, by limit, its truncated fields. */
  stored(cuts: CutCounts): void {
    this.#counts.received++;
    this.#counts.stored++;
    for (const [limit, fields] of Object.entries(cuts)) add(this.#cuts, limit, fields);
  }

  /** Counts events that were not stored, default one, under a reason code. */
  count(as: UnstoredOutcome, reason: string, events = 1): void {
    this.#counts.received += events;
    this.#counts[as] += events;
    add(this.#reasons, reason, events);
  }

  /** Counts events that the client reports as lost before sending; they do not count as received. */
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

/** Creates the request counters of a receiver and transport, starting at 0. */
export function createRequestCounter(meters: Meters, receiver: string, transport: 'http' | 'grpc'): RequestCounter {
  const counterOf = (outcome: string) =>
    meters.counter('faultline_receiver_requests', { receiver, transport, outcome });
  const success = counterOf('success');
  const refused = counterOf('refused');
  const failure = counterOf('failure');
  return (status) => {
    if (status !== undefined && status < 300) success.add();
    else if (status !== undefined && REFUSED.includes(status)) refused.add();
    else failure.add();
  };
}
