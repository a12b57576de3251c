import type { ReceivedEvent } from '../../../core/contract/stages.js';
import type { RejectedPayload } from '../../../core/storage/dead-letters/dead-letter.js';
import type { RedactionProcessorSettings } from '../../../generated/settings.js';
import type { Component } from '../../component/component.js';
import type { Consumer } from '../../component/consumer.js';
import type { Counter } from '../../telemetry/meters.js';
import { createEventProcessor, type EventProcessorContext } from '../event-processor/event-processor.js';
import { runNowOrInSlices, type Steps } from '../event-processor/steps.js';
import type { SecretKind } from './detectors/finding.js';
import { redactPayload } from './redact-payload.js';
import { redactRejected } from './redact-rejected.js';
import { Tally } from './tally.js';
import { createTextRedactor } from './text-redactor.js';
import { createValueRedactor } from './value-redactor.js';

/** Creates the processor `redaction`, which masks secrets in events and rejected payloads. Throws RangeError for an invalid pattern. */
export function createRedactionProcessor(
  id: string,
  settings: RedactionProcessorSettings,
  context: EventProcessorContext,
): Component & Consumer {
  const texts = createTextRedactor(settings);
  const redactors = { texts, values: createValueRedactor(settings, texts) };
  const counters = new Map<SecretKind, Counter>();

  const count = ({ byKind }: Tally): void => {
    for (const [kind, masked] of byKind) {
      const counter =
        counters.get(kind) ?? context.meters.counter('faultline_processor_redacted_values', { processor: id, kind });
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

  return createEventProcessor(id, context, settings.error_mode, {
    event: (event) => runNowOrInSlices(redactEvent(event)),
    rejected: (payload) => runNowOrInSlices(redactRejection(payload)),
  });
}
