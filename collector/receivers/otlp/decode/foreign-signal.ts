import { quoted } from '../../../../config/values/printable.js';
import type { Fault } from '../../../../core/event/fault.js';
import type { JsonObject } from '../../../../core/event/json.js';
import { protoName } from '../../../otlp/json-values.js';
import { type ProtobufReader, WIRE } from '../../../otlp/protobuf-reader.js';
import { otlpInvalid } from './decode-steps.js';

/** The default paths of signals, and the names of the nested lists of their requests, outermost first. */
export const SIGNALS = {
  logs: { path: '/v1/logs', lists: ['resourceLogs', 'scopeLogs', 'logRecords'] },
  traces: { path: '/v1/traces', lists: ['resourceSpans', 'scopeSpans', 'spans'] },
  metrics: { path: '/v1/metrics', lists: ['resourceMetrics', 'scopeMetrics', 'metrics'] },
  profiles: { path: '/v1development/profiles', lists: ['resourceProfiles', 'scopeProfiles', 'profiles'] },
} as const;
type Signal = keyof typeof SIGNALS;

/** All names of lists, with the signal of each. */
const SIGNAL_OF_LIST: ReadonlyMap<string, Signal> = new Map(
  Object.entries(SIGNALS).flatMap(([signal, { lists }]) =>
    lists.flatMap((name) => [name, protoName(name)].map((spelling) => [spelling, signal as Signal] as const)),
  ),
);

/** Throws `OTLP_INVALID` for a request in JSON that lacks its list `name` and is not empty: unknown members are ignored only beside known ones. */
export function checkRequest(request: JsonObject, name: string): void {
  checkList(request, name, 'it');
  const [first] = Object.keys(request);
  if (first !== undefined && !hasList(request, name)) throw otlpInvalid(`it has no ${name}, but ${quoted(first)}`);
}

/** Throws `OTLP_INVALID` for a message at `path` in a request that lacks its list `name` and has another one. */
export function checkList(message: JsonObject, name: string, path: string): void {
  if (hasList(message, name)) return;
  for (const member of Object.keys(message)) {
    const signal = SIGNAL_OF_LIST.get(member);
    if (signal !== undefined) throw belongsTo(signal, `${path} has ${member}`);
  }
  // Such as the lists of OTLP before 0.15.
  const list = Object.keys(message).find((member) => Array.isArray(message[member]));
  if (list !== undefined) throw otlpInvalid(`${path} has no ${name}, but ${quoted(list)}`);
}

function hasList(message: JsonObject, name: string): boolean {
  return Object.hasOwn(message, name) || Object.hasOwn(message, protoName(name));
}

/** Whether a record has a field of this wire type and, if `bytes` is given, of this length. */
type HasField = (field: number, wire: number, bytes?: number) => boolean;

/** How the fields of a record tell its signal, which all three encode in the same envelope; most certain first. */
const EVIDENCE: readonly (readonly [signal: Signal, isLike: (has: HasField) => boolean])[] = [
  [
    'logs',
    (has) =>
      has(1, WIRE.fixed64) ||
      has(11, WIRE.fixed64) ||
      has(6, WIRE.bytes) ||
      (has(2, WIRE.varint) && has(5, WIRE.bytes)),
  ],
  [
    'traces',
    (has) => has(7, WIRE.fixed64) || has(8, WIRE.fixed64) || (has(1, WIRE.bytes, 16) && has(2, WIRE.bytes, 8)),
  ],
  // Gauge, sum, histogram, exponential histogram and summary, behind a name. A span may have only a trace id there, of 16 bytes or empty.
  [
    'metrics',
    (has) =>
      [5, 7, 9, 10, 11].some((field) => has(field, WIRE.bytes)) &&
      has(1, WIRE.bytes) &&
      ![0, 16].some((bytes) => has(1, WIRE.bytes, bytes)),
  ],
];
/** Fields that are looked at; a record has fewer but for its lists. */
const MAX_FIELDS = 64;

/** Throws `OTLP_INVALID` for a record in protobuf that is one of another signal. */
export function checkRecord(
  reader: ProtobufReader,
  { start, end }: { readonly start: number; readonly end: number },
  own: Signal,
): void {
  const has = fieldsIn(reader, start, end);
  const isOwn = EVIDENCE.some(([signal, isLike]) => signal === own && isLike(has));
  const other = isOwn ? undefined : EVIDENCE.find(([, isLike]) => isLike(has))?.[0];
  if (other !== undefined) throw belongsTo(other, `its first record is one of ${other}`);
}

/** Reads the first fields of a message, as far as it is one. */
function fieldsIn(reader: ProtobufReader, start: number, end: number): HasField {
  const bytesOfTag = new Map<number, number>();
  reader.pos = start;
  reader.len = end;
  try {
    for (let count = 0; reader.pos < end && count < MAX_FIELDS; count++) {
      const tag = reader.tag();
      const from = reader.pos;
      bytesOfTag.set(tag, (tag & 7) === WIRE.bytes ? reader.size() : 0);
      reader.pos = from;
      reader.skipType(tag & 7, 0, tag >>> 3);
    }
  } catch {
    // A broken record is told by its decoder.
  }
  return (field, wire, bytes) => {
    const found = bytesOfTag.get((field << 3) | wire);
    return found !== undefined && (bytes === undefined || bytes === found);
  };
}

function belongsTo(signal: Signal, what: string): Fault {
  return otlpInvalid(`${what}: send ${signal} to their own path, by default ${SIGNALS[signal].path}`);
}
