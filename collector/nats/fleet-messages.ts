import { parseSize } from '../../config/values/size.js';
import { toEventId } from '../../core/event/ids.js';
import { isJsonObject, type JsonObject, type JsonValue, parseJson } from '../../core/event/json.js';
import type { FollowPosition } from '../../core/storage/following/record-follower.js';
import { formatPosition, parsePosition } from './chunk.js';
import type { StreamSettings } from './transport.js';

/** What a gateway stored of one source, on the subject `<prefix>.applied.<source>`. */
export interface AppliedMarks {
  /** UUID of the gateway's data folder. */
  readonly gateway: string;
  /** The partitions that it owns. */
  readonly own: readonly number[];
  /** Behind the last event that it stored, by partition. */
  readonly applied: ReadonlyMap<number, FollowPosition>;
  /** Sequence of the stream up to which nothing waits for it, by partition, infinite if nothing waits at all; absent if it was not asked. */
  readonly done: ReadonlyMap<number, number> | undefined;
}

/** A gateway lacks events of a source, on the subject `<prefix>.resend.<source>`. */
export interface ResendRequest {
  readonly partition: number;
  /** It has everything up to here. */
  readonly after: FollowPosition;
}

/** Names of the streams and subjects of a fleet. */
export function fleetNames(prefix: string) {
  return {
    eventsStream: `${prefix}-events`,
    events: (partition: number) => `${prefix}.events.${partition}`,
    applied: (source: string) => `${prefix}.applied.${source}`,
    resend: (source: string) => `${prefix}.resend.${source}`,
    /** Asks all gateways for their marks; the body is the source. */
    ask: `${prefix}.ask`,
  };
}

/** The stream of events, which keeps a message until each gateway that owns its partition has stored it. */
export function eventsStream(settings: {
  readonly prefix: string;
  readonly replicas: number;
  /** A size such as `1GiB`. */
  readonly max_stream_size: string;
}): StreamSettings {
  const { prefix, replicas, max_stream_size: maxSize } = settings;
  const stream = { name: fleetNames(prefix).eventsStream, subjects: [`${prefix}.events.*`], replicas };
  return { ...stream, retention: 'interest', maxBytes: parseSize(maxSize) };
}

export function encodeMarks({ gateway, own, applied, done }: AppliedMarks): Buffer {
  const marks = {
    gateway,
    own,
    applied: Object.fromEntries([...applied].map(([partition, position]) => [partition, formatPosition(position)])),
    // JSON writes infinity as null.
    ...(done && { done: Object.fromEntries(done) }),
  };
  return Buffer.from(JSON.stringify(marks));
}

/** Undefined if the message is not one of `encodeMarks`. */
export function parseMarks(body: Uint8Array): AppliedMarks | undefined {
  const { gateway, own, applied, done } = parseObject(body);
  if (typeof gateway !== 'string' || !Array.isArray(own) || !isJsonObject(applied)) return undefined;
  return {
    gateway,
    own: own.filter((partition) => typeof partition === 'number'),
    applied: byPartition(applied, parsePosition),
    done: isJsonObject(done)
      ? byPartition(done, (sequence) => Number(sequence ?? Number.POSITIVE_INFINITY))
      : undefined,
  };
}

export function encodeResend({ partition, after }: ResendRequest): Buffer {
  return Buffer.from(JSON.stringify({ partition, after: formatPosition(after) }));
}

/** Undefined if the message is not one of `encodeResend`. */
export function parseResend(body: Uint8Array): ResendRequest | undefined {
  const { partition, after: text } = parseObject(body);
  const after = parsePosition(text);
  return typeof partition === 'number' && after !== undefined ? { partition, after } : undefined;
}

/** The source that asks; undefined if the message is not a UUID. */
export function parseAsk(body: Uint8Array): string | undefined {
  return toEventId(Buffer.from(body).toString('utf8'));
}

function parseObject(body: Uint8Array): JsonObject {
  const value = parseJson(Buffer.from(body).toString('utf8'));
  return isJsonObject(value) ? value : {};
}

function byPartition<Value>(object: JsonObject, parse: (value: JsonValue) => Value | undefined): Map<number, Value> {
  return new Map(
    Object.entries(object).flatMap(([partition, text]) => {
      const value = parse(text);
      return value === undefined ? [] : [[Number(partition), value] as const];
    }),
  );
}
