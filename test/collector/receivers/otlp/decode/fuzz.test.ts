import fc from 'fast-check';
import type { OtlpEncoding } from '../../../../../collector/otlp/otlp-records.js';
import { SPAN, TRACE } from '../records.js';
import { enlarged, logsOf, spansOf } from './decoded.js';
import { encodeByOracle } from './oracle.js';

const attributes = [
  { key: 'text', value: { stringValue: 'TypeError: "x"\n    at f (/a.js:1:2)' } },
  {
    key: 'list',
    value: { arrayValue: { values: [{ intValue: '-3' }, { doubleValue: 1.5 }, { bytesValue: 'AQID' }] } },
  },
  { key: 'map', value: { kvlistValue: { values: [{ key: 'a', value: { boolValue: true } }] } } },
];
const head = { attributes, droppedAttributesCount: 1 };
const ids = { traceId: TRACE, spanId: SPAN };
const logRecord = {
  timeUnixNano: '1700000000123456789',
  severityNumber: 17,
  body: { stringValue: 'é😀' },
  flags: 1,
  ...ids,
  ...head,
};
const span = {
  ...ids,
  name: 'n',
  kind: 2,
  events: [{ name: 'exception', ...head }],
  status: { code: 2, message: 'm' },
  ...head,
};
const LOGS = {
  resourceLogs: [
    { resource: head, scopeLogs: [{ scope: { name: 's', ...head }, logRecords: [logRecord, logRecord] }] },
  ],
};
const TRACES = {
  resourceSpans: [{ resource: head, scopeSpans: [{ scope: { name: 's' }, spans: [span, span], schemaUrl: 'u' }] }],
};

interface Sample {
  readonly body: Buffer;
  readonly encoding: OtlpEncoding;
  readonly read: typeof logsOf | typeof spansOf;
}

const SAMPLES: readonly Sample[] = [
  { body: encodeByOracle('logs', LOGS), encoding: 'protobuf', read: logsOf },
  { body: encodeByOracle('traces', TRACES), encoding: 'protobuf', read: spansOf },
  { body: Buffer.from(JSON.stringify(LOGS)), encoding: 'json', read: logsOf },
  { body: Buffer.from(JSON.stringify(TRACES)), encoding: 'json', read: spansOf },
];

/** Returns whether a body was decoded; the only error it may throw is OTLP_INVALID. */
async function isDecoded({ body, encoding, read }: Sample): Promise<boolean> {
  try {
    const { records, bad } = await read(body, encoding);
    for (const record of [...records, ...bad]) expect(typeof record).toBe('object');
    return true;
  } catch (error) {
    expect(error).toMatchObject({ name: 'Fault', code: 'OTLP_INVALID' });
    return false;
  }
}

describe('a truncated or corrupted body', () => {
  it('is decoded or refused if it is cut at any byte', async () => {
    for (const sample of SAMPLES) {
      for (let length = 0; length < sample.body.length; length++) {
        const isWhole = await isDecoded({ ...sample, body: sample.body.subarray(0, length) });
        // Protobuf has no length at the top level, so zero bytes are an empty request.
        expect(isWhole).toBe(sample.encoding === 'protobuf' && length === 0);
      }
    }
  });

  it('is decoded or refused if some of its bytes are random', async () => {
    const change = fc.tuple(fc.nat(), fc.nat({ max: 255 }));
    await fc.assert(
      fc.asyncProperty(
        fc.constantFrom(...SAMPLES),
        fc.array(change, { minLength: 1, maxLength: 6 }),
        async (sample, changes) => {
          const body = Buffer.from(sample.body);
          for (const [at, byte] of changes) body[at % body.length] = byte;
          await isDecoded({ ...sample, body });
        },
      ),
    );
  });

  it('is decoded or refused if it is large JSON', async () => {
    const whole = enlarged(LOGS);
    const padding = whole.indexOf('"resourceLogs"');
    const change = fc.tuple(fc.nat(), fc.constantFrom(...Buffer.from('[]{}",:\\ 1a\0é')));
    await fc.assert(
      fc.asyncProperty(fc.nat(), fc.array(change, { maxLength: 4 }), async (cut, changes) => {
        const body = Buffer.from(
          whole.subarray(0, changes.length > 0 ? whole.length : padding + (cut % (whole.length - padding))),
        );
        for (const [at, byte] of changes) body[padding + (at % (body.length - padding))] = byte;
        await isDecoded({ body, encoding: 'json', read: logsOf });
      }),
    );
  });

  it('is decoded or refused if all of its bytes are random', async () => {
    await fc.assert(
      fc.asyncProperty(fc.uint8Array({ maxLength: 60 }), fc.constantFrom(...SAMPLES), async (bytes, sample) => {
        await isDecoded({ ...sample, body: Buffer.from(bytes) });
      }),
    );
  });
});
