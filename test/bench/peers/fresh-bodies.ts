import type { RawPayload } from '../../../core/event/raw-payload.js';
import { otlpBody } from '../otlp-bodies.js';
import { inRawLineOrder, sampleEvent } from '../sample-events.js';
import { sentryEnvelope } from '../sentry-bodies.js';

/** Bodies that never repeat: the round in each serial is overwritten before each use. */
export interface FreshBodies {
  /** Records of each body. */
  readonly records: number;
  /** The next body; its bytes change when it comes around again. */
  next(): Buffer;
}

/** The number of different stacks, which are of 200 kinds. */
const STACKS = 4000;
const KINDS = 200;
/** A serial has four digits for the round and four for the record. */
const FIRST_ROUND = 1000;
const ROUNDS = 9000;
const RECORDS_PER_ROUND = 10_000;
const SERIAL = new RegExp(`${FIRST_ROUND}\\d{4}`, 'g');

/** An event whose stack starts with its message, as V8 writes it. */
function freshEvent(index: number): RawPayload {
  const serial = FIRST_ROUND * RECORDS_PER_ROUND + index;
  const event = sampleEvent(index % KINDS, serial);
  const stack = event.stack?.replace('order failed', event.message ?? '') ?? null;
  return { ...event, request_id: `req-${serial}`, stack };
}

interface Template {
  readonly body: Buffer;
  readonly places: readonly number[];
}

function freshBodies(records: number, makeBody: (events: readonly RawPayload[], first: number) => Buffer): FreshBodies {
  const templates = Array.from({ length: STACKS / records }, (_, index): Template => {
    const first = index * records;
    const body = makeBody(
      Array.from({ length: records }, (_, record) => freshEvent(first + record)),
      first + FIRST_ROUND * RECORDS_PER_ROUND,
    );
    return { body, places: [...body.toString('latin1').matchAll(SERIAL)].map((match) => match.index) };
  });
  let uses = 0;
  return {
    records,
    next: () => {
      const template = templates[uses % templates.length];
      if (template === undefined) throw new Error('there are no bodies');
      const round = Math.floor(uses / templates.length);
      if (round >= ROUNDS) throw new Error('all serials were used');
      uses += 1;
      const { body, places } = template;
      const digits = Buffer.from(`${FIRST_ROUND + round}`, 'latin1').readUInt32LE();
      for (const place of places) body.writeUInt32LE(digits, place);
      return body;
    },
  };
}

/** NDJSON of as many events, with keys in the order of raw lines. */
export function freshLines(records: number): FreshBodies {
  return freshBodies(records, (events) => Buffer.from(events.map((event) => `${inRawLineOrder(event)}\n`).join('')));
}

/** OTLP with as many log records, with trace and span ids unless `hasIds` is false. */
export function freshOtlp(encoding: 'json' | 'protobuf', records: number, hasIds = true): FreshBodies {
  return freshBodies(records, (events, first) => otlpBody(encoding, events, first, hasIds));
}

/** Sentry envelopes of one event with an id. */
export function freshEnvelopes(): FreshBodies {
  return freshBodies(1, ([event], serial) => {
    if (event === undefined) throw new Error('an envelope holds one event');
    return sentryEnvelope(serial % KINDS, KINDS, event, `${serial}`.padStart(32, '0'));
  });
}
