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
  doneAtMs: number;
  seenAtMs: number;
}

/** A gateway that was silent for so long does not hold the record of a source back anymore. */
const FORGET_GATEWAY_MS = 24 * 3_600_000;

/** Tells which sent events all gateways of their partition have stored. */
export type AppliedPositions = ReturnType<typeof createAppliedPositions>;

/** Begins without any gateway. */
export function createAppliedPositions(nowMs: () => number = Date.now) {
  const gateways = new Map<string, KnownGateway>();
  /** Behind the last sent event, by partition, and the sequence of its message once the servers stored it. */
  const sentOf = new Map<number, { readonly position: FollowPosition; sequence: number }>();
  /** The last position that any gateway had stored: one that has less now was restored from a backup. */
  const highestOf = new Map<number, FollowPosition>();

  /** Partitions of which owners lack events, with these owners; without any if no gateway owns a partition with sent events. */
  function lacking(): { readonly partition: number; readonly owners: readonly KnownGateway[] }[] {
    forgetSilent();
    return [...new Set([...sentOf.keys(), ...highestOf.keys()])].flatMap((partition) => {
      const owners = [...gateways.values()].filter(({ own }) => own.has(partition));
      const sent = sentOf.get(partition)?.position;
      const [target] = [sent, highestOf.get(partition)]
        .filter((position) => position !== undefined)
        .sort((one, other) => comparePositions(other, one));
      const behind = owners.filter(({ applied }) => {
        const position = applied.get(partition);
        // A gateway that is new begins with what is sent from now on.
        if (position === undefined || target === undefined) return sent !== undefined;
        return comparePositions(position, target) < 0;
      });
      const isOrphan = owners.length === 0 && sent !== undefined;
      return behind.length > 0 || isOrphan ? [{ partition, owners: behind }] : [];
    });
  }

  function forgetSilent(): void {
    for (const [id, { seenAtMs }] of gateways) if (nowMs() - seenAtMs > FORGET_GATEWAY_MS) gateways.delete(id);
  }

  return {
    /** Call before the message is published; returns a function to call with its sequence. */
    sent(partition: number, position: FollowPosition): (sequence: number) => void {
      const one = { position, sequence: Number.POSITIVE_INFINITY };
      sentOf.set(partition, one);
      return (sequence) => {
        one.sequence = sequence;
      };
    },

    /** Behind the last event of a partition that was sent since the last `restart` at `begin`, or before; undefined: it is unknown. */
    lastOf(partition: number, begin: FollowPosition): FollowPosition | undefined {
      const highest = highestOf.get(partition);
      const isBefore = highest !== undefined && comparePositions(highest, begin) <= 0;
      return sentOf.get(partition)?.position ?? (isBefore ? highest : undefined);
    },

    /** Forgets what was sent: everything is sent again. */
    restart: (): void => sentOf.clear(),

    /** Takes the marks of a gateway; returns whether it or its partitions are new. */
    mark({ gateway, own, applied, done }: AppliedMarks): boolean {
      const known = gateways.get(gateway);
      const isNews = known === undefined || known.own.size !== own.length || own.some((one) => !known.own.has(one));
      for (const [partition, position] of applied) {
        const highest = highestOf.get(partition);
        if (highest === undefined || comparePositions(position, highest) > 0) highestOf.set(partition, position);
      }
      const seenAtMs = nowMs();
      const { done: before = new Map(), doneAtMs = 0 } = known ?? {};
      const answer = done === undefined ? { done: before, doneAtMs } : { done, doneAtMs: seenAtMs };
      gateways.set(gateway, { own: new Set(own), applied, ...answer, seenAtMs });
      return isNews;
    },

    /** Where the record is done: everything before was stored by all owners. `read` is behind the last sent event. */
    committed(before: FollowPosition, read: FollowPosition): FollowPosition {
      const stored = lacking().flatMap(({ partition, owners }) =>
        owners.length === 0 ? [before] : owners.map((owner) => owner.applied.get(partition) ?? before),
      );
      return [read, ...stored].reduce((least, one) => (comparePositions(one, least) < 0 ? one : least));
    },

    /** Whether all owners stored everything that was sent, and no less than each other. */
    get isSettled(): boolean {
      return lacking().length === 0;
    },

    /** Whether messages were lost: an owner that answered lacks their events, and nothing up to their sequence waits for it, or `isCertain`. */
    isLostSince(askedAtMs: number, isCertain: boolean): boolean {
      return lacking().some(({ partition, owners }) => {
        const sequence = sentOf.get(partition)?.sequence ?? Number.POSITIVE_INFINITY;
        const isDone = (done: number = -1): boolean => isCertain || done >= sequence;
        return owners.some(({ doneAtMs, done }) => doneAtMs >= askedAtMs && isDone(done.get(partition)));
      });
    },

    /** Partitions with sent events that no known gateway owns. */
    get orphans(): readonly number[] {
      return lacking().flatMap(({ partition, owners }) => (owners.length === 0 ? [partition] : []));
    },

    /** The known gateways as JSON, for `restore`. */
    toJson(): JsonValue {
      forgetSilent();
      return Object.fromEntries(
        [...gateways].map(([id, { own, seenAtMs }]) => [id, { own: [...own], seen_at_ms: seenAtMs }]),
      );
    },

    restore(known: JsonValue = null): void {
      for (const [id, gateway] of Object.entries(isJsonObject(known) ? known : {})) {
        if (!isJsonObject(gateway) || !Array.isArray(gateway['own'])) continue;
        const own = new Set(gateway['own'].map(Number));
        const seenAtMs = Number(gateway['seen_at_ms']);
        gateways.set(id, { own, applied: new Map(), done: new Map(), doneAtMs: 0, seenAtMs });
      }
    },
  };
}
