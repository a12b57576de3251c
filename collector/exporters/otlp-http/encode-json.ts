import type { JsonValue } from '../../../core/event/json.js';
import { textPieces } from '../../../core/event/text.js';
import { runInSlices, type Steps } from '../../processors/event-processor/steps.js';
import { isInteger, isSmall, isSmallRecord, MAX_DEPTH, membersOf, wellFormed } from './any-value.js';
import { BodyChunks } from './body-chunks.js';
import type { LogRecord, RecordGroup } from './log-record.js';

type Pairs = Iterable<readonly [string, JsonValue]>;

/** Encodes an ExportLogsServiceRequest as OTLP JSON, in time slices. */
export function encodeJson(groups: readonly RecordGroup[]): Promise<Uint8Array> {
  return runInSlices(requestOf(groups));
}

function* requestOf(groups: readonly RecordGroup[]): Steps<Uint8Array> {
  const out = new JsonOutput();
  out.add('{"resourceLogs":');
  yield* list(out, groups, function* ({ resource, scopes }) {
    out.add('{"resource":{"attributes":');
    yield* attributes(out, resource.attributes, 0);
    out.add('},"scopeLogs":');
    yield* list(out, scopes, function* ({ scope, records }) {
      out.add('{"scope":{"name":');
      yield* out.text(scope.name);
      out.add(',"version":');
      yield* out.text(scope.version);
      out.add(',"attributes":');
      yield* attributes(out, scope.attributes, 0);
      out.add('},"logRecords":');
      yield* list(out, records, (record) => logRecord(out, record));
      out.add(',"schemaUrl":');
      yield* out.text(scope.schemaUrl);
      out.add('}');
    });
    out.add(',"schemaUrl":');
    yield* out.text(resource.schemaUrl);
    out.add('}');
  });
  out.add('}');
  return yield* out.finish();
}

/** Writes a list, with a pause before each member. */
function* list<Member>(
  out: JsonOutput,
  members: Iterable<Member>,
  write: (member: Member) => Steps<void>,
): Steps<void> {
  let sign = '[';
  for (const member of members) {
    yield;
    out.add(sign);
    sign = ',';
    yield* write(member);
  }
  out.add(sign === '[' ? '[]' : ']');
}

function* logRecord(out: JsonOutput, record: LogRecord): Steps<void> {
  const { severityNumber, flags, traceId, spanId } = record;
  const times = {
    timeUnixNano: String(record.timeUnixNano),
    observedTimeUnixNano: String(record.observedTimeUnixNano),
    severityNumber,
  };
  if (isSmallRecord(record)) {
    const body = anyValueOf(record.body, 0);
    const severityText = wellFormed(record.severityText);
    const eventName = wellFormed(record.eventName);
    const others = { severityText, body, attributes: listOf(record.attributes, 0), flags, traceId, spanId, eventName };
    out.add(JSON.stringify({ ...times, ...others }));
    return;
  }
  // Measuring a large record takes a time slice.
  yield;
  out.add(`${JSON.stringify(times).slice(0, -1)},"severityText":`);
  yield* out.text(record.severityText);
  out.add(',"body":');
  yield* anyValue(out, record.body, 0);
  out.add(',"attributes":');
  yield* attributes(out, record.attributes, 0);
  out.add(`,${JSON.stringify({ flags, traceId, spanId }).slice(1, -1)},"eventName":`);
  yield* out.text(record.eventName);
  out.add('}');
}

function attributes(out: JsonOutput, pairs: Pairs, depth: number): Steps<void> {
  return list(out, pairs, function* ([key, value]) {
    out.add('{"key":');
    yield* out.text(key);
    out.add(',"value":');
    yield* anyValue(out, value, depth);
    out.add('}');
  });
}

/** `anyValueOf` with pauses, for large values. */
function* anyValue(out: JsonOutput, value: JsonValue, depth: number): Steps<void> {
  if (typeof value === 'string') {
    out.add('{"stringValue":');
    yield* out.text(value);
    out.add('}');
  } else if (typeof value !== 'object' || value === null || depth >= MAX_DEPTH || isSmall(value)) {
    out.add(JSON.stringify(anyValueOf(value, depth)));
  } else if (Array.isArray(value)) {
    out.add('{"arrayValue":{"values":');
    yield* list(out, value, (one) => anyValue(out, one, depth + 1));
    out.add('}}');
  } else {
    yield;
    out.add('{"kvlistValue":{"values":');
    yield* attributes(out, membersOf(value), depth + 1);
    out.add('}}');
  }
}

function listOf(pairs: Pairs, depth: number): object[] {
  return Array.from(pairs, ([key, value]) => ({ key: wellFormed(key), value: anyValueOf(value, depth) }));
}

function anyValueOf(value: JsonValue, depth: number): object {
  if (value === null) return {};
  if (typeof value === 'string') return { stringValue: wellFormed(value) };
  if (typeof value === 'boolean') return { boolValue: value };
  // An int64 is text in JSON.
  if (typeof value === 'number') return isInteger(value) ? { intValue: String(value) } : { doubleValue: value };
  if (depth >= MAX_DEPTH) return { stringValue: wellFormed(JSON.stringify(value)) };
  if (Array.isArray(value)) return { arrayValue: { values: value.map((one) => anyValueOf(one, depth + 1)) } };
  return { kvlistValue: { values: listOf(Object.entries(value), depth + 1) } };
}

/** UTF-16 units that are buffered. */
const BUFFER_UNITS = 64 * 1024;

class JsonOutput {
  readonly #body = new BodyChunks();
  #text = '';

  /** Adds encoded JSON. */
  add(json: string): void {
    this.#text += json;
    if (this.#text.length >= BUFFER_UNITS) this.#flush();
  }

  /** Adds a string; replaces lone surrogates. */
  *text(text: string): Steps<void> {
    if (text.length < BUFFER_UNITS) {
      this.add(JSON.stringify(wellFormed(text)));
      return;
    }
    this.add('"');
    for (const piece of textPieces(text)) {
      this.add(JSON.stringify(wellFormed(piece)).slice(1, -1));
      yield;
    }
    this.add('"');
  }

  /** Returns the encoded JSON, which must not be written to afterwards. */
  *finish(): Steps<Uint8Array> {
    this.#flush();
    return yield* this.#body.concat();
  }

  #flush(): void {
    this.#body.append(Buffer.from(this.#text, 'utf8'));
    this.#text = '';
  }
}
