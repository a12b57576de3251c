import { isJsonObject, type JsonValue } from '../../../core/event/json.js';
import type { FollowPosition } from '../../../core/storage/following/record-follower.js';
import { comparePositions } from '../../nats/chunk.js';
import type { AppliedMarks } from '../../nats/fleet-messages.js';

interface Gateway {
  readonly ownedPartitions: ReadonlySet<number>;
  /** Behind the last event that it stored, by partition. */
  readonly applied: ReadonlyMap<number, FollowPosition>;
  /** `AppliedMarks.done` of its last answer. */
  readonly done: ReadonlyMap<number, number>;
  /** When it answered, and when it was heard, milliseconds since the epoch. */
  readonly answeredAtMs: number;
  readonly heardAtMs: number;
}

/** The last message of a partition. */
interface SentMessage {
  /** Behind its last event. */
  readonly position: FollowPosition;
  /** Infinite until the servers stored it. */
  sequence: number;
}

/** A partition with events that its owners lack. */
interface UnsettledPartition {
  readonly partition: number;
  /** Empty if no known gateway owns the partition. */
  readonly ownersBehind: readonly Gateway[];
}

/** A gateway that was silent for so long does not hold the record of a source back anymore. */
const FORGET_GATEWAY_MS = 24 * 3_600_000;

/** Returns the earlier one. */
export function minPosition(one: FollowPosition, other: FollowPosition): FollowPosition {
  return comparePositions(one, other) <= 0 ? one : other;
}

function maxPosition(one: FollowPosition | undefined, other: FollowPosition | undefined): FollowPosition | undefined {
  if (one === undefined || other === undefined) return one ?? other;
  return comparePositions(one, other) >= 0 ? one : other;
}

/** Tells which sent events all gateways of their partition have stored. Begins without any gateway. */
export class AppliedPositions {
  readonly #nowMs: () => number;
  readonly #gateways = new Map<string, Gateway>();
  /** The last sent message, by partition. */
  readonly #lastSent = new Map<number, SentMessage>();
  /** The last position that any gateway had stored: one that has less now was restored from a backup. */
  readonly #highest = new Map<number, FollowPosition>();

  /** `nowMs`: milliseconds since the epoch. */
  constructor(nowMs: () => number = Date.now) {
    this.#nowMs = nowMs;
  }

  /** Call before the message is published; returns a function to call with its sequence. */
  sent(partition: number, position: FollowPosition): (sequence: number) => void {
    const message: SentMessage = { position, sequence: Number.POSITIVE_INFINITY };
    this.#lastSent.set(partition, message);
    return (sequence) => {
      message.sequence = sequence;
    };
  }

  /** Behind the last event of a partition that was sent since the last `restart` at `begin`, or before; undefined: it is unknown. */
  lastOf(partition: number, begin: FollowPosition): FollowPosition | undefined {
    const sent = this.#lastSent.get(partition);
    if (sent !== undefined) return sent.position;
    const highest = this.#highest.get(partition);
    return highest !== undefined && comparePositions(highest, begin) <= 0 ? highest : undefined;
  }

  /** Forgets what was sent: everything is sent again. */
  restart(): void {
    this.#lastSent.clear();
  }

  /** Takes the marks of a gateway; returns whether it or its partitions are new. */
  mark({ gateway: id, own, applied, done }: AppliedMarks): boolean {
    const before = this.#gateways.get(id);
    for (const [partition, position] of applied) {
      const highest = maxPosition(this.#highest.get(partition), position);
      if (highest !== undefined) this.#highest.set(partition, highest);
    }
    const heardAtMs = this.#nowMs();
    this.#gateways.set(id, {
      ownedPartitions: new Set(own),
      applied,
      done: done ?? before?.done ?? new Map(),
      answeredAtMs: done === undefined ? (before?.answeredAtMs ?? 0) : heardAtMs,
      heardAtMs,
    });
    const owned = before?.ownedPartitions;
    return owned?.size !== own.length || own.some((partition) => !owned.has(partition));
  }

  /** Where the record is done: everything before was stored by all owners. `sentTo` is behind the last sent event, `committed` the result of the last call. */
  doneUpTo(committed: FollowPosition, sentTo: FollowPosition): FollowPosition {
    let done = sentTo;
    for (const { partition, ownersBehind } of this.#unsettledPartitions()) {
      if (ownersBehind.length === 0) done = minPosition(done, committed);
      for (const { applied } of ownersBehind) done = minPosition(done, applied.get(partition) ?? committed);
    }
    return done;
  }

  /** Whether all owners stored everything that was sent, and no less than each other. */
  get isSettled(): boolean {
    return this.#unsettledPartitions().length === 0;
  }

  /** Whether messages were lost: an owner that answered lacks their events, and nothing up to their sequence waits for it, or `isCertain`. */
  isLostSince(askedAtMs: number, isCertain: boolean): boolean {
    return this.#unsettledPartitions().some(({ partition, ownersBehind }) => {
      const sequence = this.#lastSent.get(partition)?.sequence ?? Number.POSITIVE_INFINITY;
      return ownersBehind.some(({ answeredAtMs, done }) => {
        const isDelivered = (done.get(partition) ?? -1) >= sequence;
        return answeredAtMs >= askedAtMs && (isCertain || isDelivered);
      });
    });
  }

  /** Partitions with sent events that no known gateway owns. */
  get orphans(): readonly number[] {
    return this.#unsettledPartitions()
      .filter(({ ownersBehind }) => ownersBehind.length === 0)
      .map(({ partition }) => partition);
  }

  /** The known gateways as JSON, for `restore`. */
  toJson(): JsonValue {
    this.#forgetSilentGateways();
    return Object.fromEntries(
      [...this.#gateways].map(([id, { ownedPartitions, heardAtMs }]) => [
        id,
        { own: [...ownedPartitions], seen_at_ms: heardAtMs },
      ]),
    );
  }

  restore(gateways: JsonValue = null): void {
    for (const [id, gateway] of Object.entries(isJsonObject(gateways) ? gateways : {})) {
      if (!isJsonObject(gateway) || !Array.isArray(gateway['own'])) continue;
      this.#gateways.set(id, {
        ownedPartitions: new Set(gateway['own'].map(Number)),
        applied: new Map(),
        done: new Map(),
        answeredAtMs: 0,
        heardAtMs: Number(gateway['seen_at_ms']),
      });
    }
  }

  #unsettledPartitions(): readonly UnsettledPartition[] {
    this.#forgetSilentGateways();
    const partitions = new Set([...this.#lastSent.keys(), ...this.#highest.keys()]);
    const unsettled: UnsettledPartition[] = [];
    for (const partition of partitions) {
      const owners = [...this.#gateways.values()].filter(({ ownedPartitions }) => ownedPartitions.has(partition));
      const ownersBehind = owners.filter(({ applied }) => this.#isBehind(partition, applied.get(partition)));
      const isOrphan = owners.length === 0 && this.#lastSent.has(partition);
      if (ownersBehind.length > 0 || isOrphan) unsettled.push({ partition, ownersBehind });
    }
    return unsettled;
  }

  #isBehind(partition: number, applied: FollowPosition | undefined): boolean {
    const sent = this.#lastSent.get(partition)?.position;
    const target = maxPosition(sent, this.#highest.get(partition));
    // A gateway that is new begins with what is sent from now on.
    if (applied === undefined || target === undefined) return sent !== undefined;
    return comparePositions(applied, target) < 0;
  }

  #forgetSilentGateways(): void {
    for (const [id, { heardAtMs }] of this.#gateways) {
      if (this.#nowMs() - heardAtMs > FORGET_GATEWAY_MS) this.#gateways.delete(id);
    }
  }
}
