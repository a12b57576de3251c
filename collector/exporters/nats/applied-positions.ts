import { isJsonObject, type JsonValue } from '../../../core/event/json.js';
import type { FollowPosition } from '../../../core/storage/following/record-follower.js';
import { comparePositions } from '../../nats/chunk.js';
import type { AppliedMarks } from '../../nats/fleet-messages.js';

/** What is known of a gateway. */
interface KnownGateway {
  own: ReadonlySet<number>;
  applied: ReadonlyMap<number, FollowPosition>;
  /** `AppliedMarks.done` when it was asked last. */
  done: ReadonlyMap<number, number>;
  /** Milliseconds since the epoch. */
  seenAtMs: number;
}

/** A gateway that was silent for so long does not hold the record of a source back anymore. */
const FORGET_GATEWAY_MS = 24 * 3_600_000;

/** Tells which sent events all gateways of their partition have stored. */
export class AppliedPositions {
  readonly #gateways = new Map<string, KnownGateway>();
  /** Behind the last sent event, by partition, and the sequence of its message once the servers stored it. */
  readonly #sent = new Map<number, { readonly position: FollowPosition; sequence: number }>();
  readonly #nowMs: () => number;

  constructor(nowMs: () => number = Date.now) {
    this.#nowMs = nowMs;
  }

  /** Call before the message is published; returns a function to call with its sequence. */
  sent(partition: number, position: FollowPosition): (sequence: number) => void {
    const one = { position, sequence: Number.POSITIVE_INFINITY };
    this.#sent.set(partition, one);
    return (sequence) => {
      one.sequence = sequence;
    };
  }

  /** Behind the last event that was sent of a partition since the last `restart`; undefined: none. */
  sentOf(partition: number): FollowPosition | undefined {
    return this.#sent.get(partition)?.position;
  }

  /** Forgets what was sent: everything is sent again. */
  restart(): void {
    this.#sent.clear();
  }

  /** Takes the marks of a gateway; returns whether it or its partitions are new. */
  mark({ gateway, own, applied, done }: AppliedMarks): boolean {
    const known = this.#gateways.get(gateway);
    const isNews = known === undefined || known.own.size !== own.length || own.some((one) => !known.own.has(one));
    this.#gateways.set(gateway, {
      own: new Set(own),
      applied: new Map([...(known?.applied ?? []), ...applied]),
      done: done ?? known?.done ?? new Map(),
      seenAtMs: this.#nowMs(),
    });
    return isNews;
  }

  /** Where the record is done: everything before was stored by all owners. `read` is behind the last sent event. */
  committed(before: FollowPosition, read: FollowPosition): FollowPosition {
    return this.#unapplied().reduce((least, partition) => {
      const applied = this.#appliedOf(partition) ?? before;
      return comparePositions(applied, least) < 0 ? applied : least;
    }, read);
  }

  /** Whether all owners stored everything that was sent. */
  get isSettled(): boolean {
    return this.#unapplied().length === 0;
  }

  /** Whether messages were lost on the way: an owner has not stored their events, and nothing up to their sequence waits for it. */
  isLostSince(askedAtMs: number): boolean {
    return this.#unapplied().some((partition) => {
      const sequence = this.#sent.get(partition)?.sequence ?? Number.POSITIVE_INFINITY;
      return this.#ownersOf(partition).some(
        ({ seenAtMs, done }) => seenAtMs >= askedAtMs && (done.get(partition) ?? -1) >= sequence,
      );
    });
  }

  /** Partitions with sent events that no known gateway owns. */
  get orphans(): readonly number[] {
    return this.#unapplied().filter((partition) => this.#ownersOf(partition).length === 0);
  }

  /** The known gateways as JSON, for `restore`. */
  toJson(): JsonValue {
    this.#forgetSilent();
    return Object.fromEntries(
      [...this.#gateways].map(([id, { own, seenAtMs }]) => [id, { own: [...own], seen_at_ms: seenAtMs }]),
    );
  }

  restore(gateways: JsonValue = null): void {
    for (const [id, gateway] of Object.entries(isJsonObject(gateways) ? gateways : {})) {
      if (!isJsonObject(gateway) || !Array.isArray(gateway['own'])) continue;
      const { own, seen_at_ms: seenAtMs } = gateway;
      this.#gateways.set(id, {
        own: new Set(own.map(Number)),
        applied: new Map(),
        done: new Map(),
        seenAtMs: Number(seenAtMs),
      });
    }
  }

  #unapplied(): number[] {
    return [...this.#sent].flatMap(([partition, { position }]) => {
      const applied = this.#appliedOf(partition);
      return applied !== undefined && comparePositions(applied, position) >= 0 ? [] : [partition];
    });
  }

  /** What all owners stored; undefined if one has not stored anything, or there is none. */
  #appliedOf(partition: number): FollowPosition | undefined {
    const applied = this.#ownersOf(partition).map((owner) => owner.applied.get(partition));
    const known = applied.filter((position) => position !== undefined);
    return known.length < applied.length ? undefined : known.sort(comparePositions)[0];
  }

  #ownersOf(partition: number): KnownGateway[] {
    this.#forgetSilent();
    return [...this.#gateways.values()].filter(({ own }) => own.has(partition));
  }

  #forgetSilent(): void {
    const now = this.#nowMs();
    for (const [id, { seenAtMs }] of this.#gateways) {
      if (now - seenAtMs > FORGET_GATEWAY_MS) this.#gateways.delete(id);
    }
  }
}
