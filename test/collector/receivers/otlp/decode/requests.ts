import fc from 'fast-check';

const text = fc.string({ unit: 'grapheme', maxLength: 12 });
const int64 = fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }).map(String);
const nanos = fc.bigInt({ min: 0n, max: 2n ** 64n - 1n }).map(String);
const count = fc.nat();
const flags = fc.nat({ max: 2 ** 32 - 1 });
const bytes = fc.uint8Array({ maxLength: 9 }).map((value) => Buffer.from(value).toString('base64'));

function idOf(length: number): fc.Arbitrary<string> {
  const id = fc.uint8Array({ minLength: length, maxLength: length }).map((value) => Buffer.from(value).toString('hex'));
  return fc.oneof(id, fc.constant(''), fc.constant('00'.repeat(length)));
}

/** A message with any subset of these fields. */
function message<Fields extends object>(
  fields: { [Key in keyof Fields]: fc.Arbitrary<Fields[Key]> },
): fc.Arbitrary<object> {
  return fc.record(fields, { requiredKeys: [] });
}

const { anyValue, keyValues } = fc.letrec<{ anyValue: object; keyValue: object; keyValues: object[] }>((tie) => ({
  anyValue: fc.oneof(
    { maxDepth: 3 },
    fc.constant({}),
    text.map((stringValue) => ({ stringValue })),
    fc.boolean().map((boolValue) => ({ boolValue })),
    int64.map((intValue) => ({ intValue })),
    fc.double({ noDefaultInfinity: true, noNaN: true }).map((doubleValue) => ({ doubleValue: doubleValue + 0 })),
    bytes.map((bytesValue) => ({ bytesValue })),
    fc.array(tie('anyValue'), { maxLength: 3 }).map((values) => ({ arrayValue: { values } })),
    tie('keyValues').map((values) => ({ kvlistValue: { values } })),
  ),
  keyValue: fc.record({
    key: fc.oneof(text, fc.constantFrom('a', '__proto__', 'constructor')),
    value: tie('anyValue'),
  }),
  keyValues: fc.array(tie('keyValue'), { maxLength: 3 }),
}));

const attributed = { attributes: keyValues, droppedAttributesCount: count };
const resource = message(attributed);
const scope = message({ name: text, version: text, ...attributed });

const logRecord = message({
  timeUnixNano: nanos,
  observedTimeUnixNano: nanos,
  severityNumber: fc.nat({ max: 24 }),
  severityText: text,
  body: anyValue,
  flags,
  traceId: idOf(16),
  spanId: idOf(8),
  eventName: text,
  ...attributed,
});

const span = message({
  traceId: idOf(16),
  spanId: idOf(8),
  parentSpanId: idOf(8),
  traceState: text,
  name: text,
  kind: fc.nat({ max: 5 }),
  startTimeUnixNano: nanos,
  endTimeUnixNano: nanos,
  events: fc.array(message({ timeUnixNano: nanos, name: text, ...attributed }), { maxLength: 2 }),
  links: fc.array(message({ traceId: idOf(16), spanId: idOf(8), ...attributed }), { maxLength: 1 }),
  status: message({ code: fc.nat({ max: 2 }), message: text }),
  flags,
  ...attributed,
});

function list(item: fc.Arbitrary<object>): fc.Arbitrary<object[]> {
  return fc.array(item, { maxLength: 3 });
}

/** Requests with log records in OTLP JSON. */
export const logsRequests = message({
  resourceLogs: list(
    message({
      resource,
      scopeLogs: list(message({ scope, logRecords: list(logRecord), schemaUrl: text })),
      schemaUrl: text,
    }),
  ),
});

/** Requests with spans in OTLP JSON. */
export const tracesRequests = message({
  resourceSpans: list(
    message({ resource, scopeSpans: list(message({ scope, spans: list(span), schemaUrl: text })), schemaUrl: text }),
  ),
});
