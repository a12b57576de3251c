import { type EventId, toEventId } from '../../event/ids.js';
import { isJsonObject, type JsonObject, parseJson } from '../../event/json.js';

/** The id that an event has in the record of the collector that sent it, and its id here. */
export interface EventOrigin {
  readonly origin: EventId;
  /** Undefined if a processor dropped the event here. */
  readonly stored: EventId | undefined;
}

/** Events of one source that were stored together. */
export interface AppliedEvents {
  /** Source id of the sending collector. */
  readonly source: string;
  readonly partition: number;
  /** Position behind the last event in the record of the source. */
  readonly to: string;
  readonly origins: readonly EventOrigin[];
}

/** The last position that was applied, by source and partition. */
export type AppliedPositions = Map<string, Map<number, string>>;

/** Characters of an event id in a line: hexadecimal, without hyphens. */
export const KEY_LENGTH = 32;
const NOT_STORED = '.'.repeat(KEY_LENGTH);

/** The form of an event id in a line. */
export function keyOfId(eventId: EventId): string {
  return eventId.replaceAll('-', '');
}

/** The event id of a key; undefined if the event was not stored. */
export function idOfKey(hex: string): EventId | undefined {
  return toEventId(`${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20)}`);
}

/** A line: events that were applied, or the positions of all sources. */
export interface OriginLine {
  /** Set in a line of positions. */
  readonly positions: AppliedPositions | undefined;
  readonly source: string;
  readonly partition: number;
  readonly to: string;
  /** Pairs of keys: of the source, and here. */
  readonly ids: string;
  /** Events received here earlier are in this log; undefined after a regular close: all are. Microseconds since the epoch. */
  readonly floorMicros: number | undefined;
}

/** Encodes events, with the newline. */
export function encodeEvents({ source, partition, to, origins }: AppliedEvents, floorMicros: number): string {
  const ids = origins.map(
    ({ origin, stored }) => keyOfId(origin) + (stored === undefined ? NOT_STORED : keyOfId(stored)),
  );
  return `${JSON.stringify({ source, partition, to, floor: floorMicros, ids: ids.join('') })}\n`;
}

/** Encodes the positions of all sources, with the newline. */
export function encodePositions(positions: AppliedPositions, floorMicros: number | undefined): string {
  const applied = Object.fromEntries([...positions].map(([source, to]) => [source, Object.fromEntries(to)]));
  return `${JSON.stringify({ applied, floor: floorMicros ?? null })}\n`;
}

/** Parses a line without its newline; undefined if it is not one. */
export function parseOriginLine(text: string): OriginLine | undefined {
  const value = parseJson(text);
  if (!isJsonObject(value)) return undefined;
  const { applied, source = '', partition = 0, to = '', ids = '', floor = null } = value;
  if (typeof source !== 'string' || typeof partition !== 'number') return undefined;
  if (typeof to !== 'string' || typeof ids !== 'string') return undefined;
  const floorMicros = typeof floor === 'number' ? floor : undefined;
  const positions = isJsonObject(applied) ? parsePositions(applied) : undefined;
  return { positions, source, partition, to, ids, floorMicros };
}

function parsePositions(applied: JsonObject): AppliedPositions {
  return new Map(
    Object.entries(applied).flatMap(([source, partitions]) =>
      isJsonObject(partitions)
        ? [[source, new Map(Object.entries(partitions).map(([partition, to]) => [Number(partition), String(to)]))]]
        : [],
    ),
  );
}
