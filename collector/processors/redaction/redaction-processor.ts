import type { ReceivedEvent } from '../../../core/contract/stages.js';
import { isJsonObject, type JsonObject, type JsonValue, ownValue } from '../../../core/event/json.js';
import type { RawPayload } from '../../../core/event/raw-payload.js';
import type { RejectedPayload } from '../../../core/storage/dead-letters/dead-letter.js';
import { PAYLOAD_FIELDS } from '../../../generated/event-fields.js';
import type { RedactionProcessorSettings } from '../../../generated/settings.js';
import type { Internal, PlainProcessor, ProcessorFactory } from '../../component/built-in.js';
import type { Counter } from '../../telemetry/meters.js';
import { eachEvent } from '../event-processor/event-processor.js';
import { copyMembers, runNowOrInSlices, type Steps } from '../event-processor/steps.js';
import type { SecretKind } from './detectors/finding.js';
import { redactRejected } from './redact-rejected.js';
import { Tally } from './tally.js';
import { LONG_TEXT, TextRedactor } from './text-redactor.js';
import { ValueRedactor } from './value-redactor.js';

const FIELDS = PAYLOAD_FIELDS.filter((field) => 'isRedacted' in field).map(({ name }) => name);

/** If any of these is present, Faultline wrote `extra.faultline`; see core/event/faultline-part.ts. */
const OWN_MEMBERS = ['cuts', 'cuts_total', 'original', 'top_level', 'sender', 'redaction'];

/** Processor `redaction`: masks secrets. */
export const redactionProcessor: ProcessorFactory<RedactionProcessorSettings> = {
  stability: 'alpha',
  create: (settings, { id, internal }) => createRedactionProcessor(id, settings, internal),
};

/** Creates the processor `redaction`, which masks secrets in events and rejected payloads. Throws RangeError for an invalid pattern. */
export function createRedactionProcessor(
  id: string,
  settings: RedactionProcessorSettings,
  { meters }: Pick<Internal, 'meters'>,
): PlainProcessor {
  const texts = new TextRedactor(settings);
  const redactors = { texts, values: new ValueRedactor(settings, texts) };
  const counters = new Map<SecretKind, Counter>();

  const count = ({ byKind }: Tally): void => {
    for (const [kind, masked] of byKind) {
      const counter =
        counters.get(kind) ?? meters.counter('faultline_processor_redacted_values', { processor: id, kind });
      counters.set(kind, counter);
      counter.add(masked);
    }
  };

  /** Reused for the next event. */
  let spare: Tally | undefined;
  const listsPaths = settings.summary === 'debug';

  function* redactEvent(event: ReceivedEvent): Steps<ReceivedEvent> {
    const tally = spare ?? new Tally(listsPaths);
    spare = undefined;
    const payload = yield* redactPayload(event.payload, redactors, settings.summary, tally);
    if (payload !== event.payload) count(tally);
    tally.clear();
    spare = tally;
    return payload === event.payload ? event : { payload };
  }

  function* redactRejection(payload: RejectedPayload): Steps<RejectedPayload> {
    const tally = new Tally();
    const result = yield* redactRejected(payload, redactors, tally);
    count(tally);
    return result;
  }

  return {
    errorMode: settings.error_mode,
    consume: eachEvent((event) => runNowOrInSlices(redactEvent(event))),
    rejected: (payload) => runNowOrInSlices(redactRejection(payload)),
  };
}

/** Masks a payload; the same object without secrets. Names and times that queries select by are not scanned. */
function* redactPayload(
  payload: RawPayload,
  { texts, values }: { readonly texts: TextRedactor; readonly values: ValueRedactor },
  summary: RedactionProcessorSettings['summary'],
  tally: Tally,
): Steps<RawPayload> {
  let copy: RawPayload | undefined;
  for (const field of FIELDS) {
    const value = payload[field];
    if (value === null) continue;
    const result = value.length > LONG_TEXT ? yield* texts.redactInSteps(value, tally) : texts.redact(value, tally);
    if (result === value) continue;
    tally.listMasked('', field);
    copy ??= { ...payload };
    copy[field] = result;
  }
  const tags = yield* values.redactTags(payload.tags, tally);
  const extra = payload.extra === null ? null : yield* values.redactExtra(payload.extra, tally);
  if (copy === undefined && tags === payload.tags && extra === payload.extra) return payload;
  copy ??= { ...payload };
  copy.tags = tags;
  copy.extra = extra;
  if (summary === 'silent') return copy;
  const newExtra: JsonObject =
    extra === null ? {} : extra === payload.extra ? yield* copyMembers(extra, Object.keys(extra)) : extra;
  newExtra['faultline'] = yield* withSummary(ownValue(newExtra, 'faultline'), tally, summary);
  copy.extra = newExtra;
  return copy;
}

/** Returns `extra.faultline` with counts of `redaction`, for `debug` also paths; earlier counts are added, and a sender's value moves to `sender`. */
function* withSummary(part: JsonValue | undefined, tally: Tally, summary: 'debug' | 'info'): Steps<JsonObject> {
  const isOurs = isJsonObject(part) && OWN_MEMBERS.some((name) => Object.hasOwn(part, name));
  const own: JsonObject = isOurs
    ? yield* copyMembers(part, Object.keys(part))
    : part === undefined
      ? {}
      : { sender: part };
  const before = ownValue(own, 'redaction');
  const redaction: JsonObject = { masked_count: tally.masked + countIn(before, 'masked_count') };
  if (summary === 'debug') redaction['masked_keys'] = [...tally.maskedKeys];
  if (tally.removed > 0) {
    redaction['removed_count'] = tally.removed + countIn(before, 'removed_count');
    if (summary === 'debug') redaction['removed_keys'] = [...tally.removedKeys];
  }
  own['redaction'] = redaction;
  return own;
}

function countIn(before: JsonValue | undefined, name: string): number {
  const count = ownValue(before, name);
  return typeof count === 'number' && Number.isSafeInteger(count) && count > 0 ? count : 0;
}
