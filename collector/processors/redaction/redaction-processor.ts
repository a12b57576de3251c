import type { Logger } from 'pino';
import type { RedactionProcessorSettings } from '../../../config/settings.js';
import type { ReceivedEvent } from '../../../core/event/stages.js';
import type { RejectedPayload } from '../../../core/storage/rejected/rejected-payload.js';
import type { Component } from '../../component.js';
import type { Consumer } from '../../pipeline.js';
import type { Counter, Meters } from '../../telemetry/meters.js';
import { createEventProcessor } from '../event-processor.js';
import { doInTurns, type Steps } from '../steps.js';
import type { SecretKind } from './finding.js';
import { redactPayload } from './redact-payload.js';
import { redactRejected } from './redact-rejected.js';
import { Tally } from './tally.js';
import { createTextRedactor } from './text-redactor.js';
import { createValueRedactor } from './value-redactor.js';

/** What a redaction is built from. */
export interface RedactionProcessorOptions {
  readonly id: string;
  readonly settings: RedactionProcessorSettings;
  readonly consumer: Consumer;
  readonly meters: Meters;
  readonly logger: Logger;
}

/** Builds processor `redaction`: takes secrets out of events and of rejected payloads before anything is written. Throws RangeError for a pattern that is none. */
export function createRedactionProcessor(options: RedactionProcessorOptions): Component & Consumer {
  const { id, settings, consumer, meters, logger } = options;
  const texts = createTextRedactor(settings);
  const redactors = { texts, values: createValueRedactor(settings, texts), summary: settings.summary };
  const counters = new Map<SecretKind, Counter>();

  const count = ({ byKind }: Tally): void => {
    for (const [kind, masked] of byKind) {
      const counter =
        counters.get(kind) ?? meters.counter('faultline_processor_redacted_values', { processor: id, kind });
      counters.set(kind, counter);
      counter.add(masked);
    }
  };

  /** Of an event that is done, for the next one. */
  let spare: Tally | undefined;
  const listsPlaces = settings.summary === 'debug';

  const redactEvent = (event: ReceivedEvent): ReceivedEvent | Promise<ReceivedEvent> => {
    const tally = spare ?? new Tally(listsPlaces);
    spare = undefined;
    return atOnceOrInTurns(redactPayload(event.payload, redactors, tally), (payload) => {
      if (payload !== event.payload) count(tally);
      tally.clear();
      spare = tally;
      return payload === event.payload ? event : { payload };
    });
  };

  const redactRejection = (payload: RejectedPayload): RejectedPayload | Promise<RejectedPayload> => {
    const tally = new Tally();
    return atOnceOrInTurns(redactRejected(payload, redactors, tally), (result) => {
      count(tally);
      return result;
    });
  };

  return createEventProcessor({
    id,
    errorMode: settings.error_mode,
    consumer,
    meters,
    logger,
    steps: { event: redactEvent, rejected: redactRejection },
  });
}

/** Small work is done where it stands; what has to pause at all is large, and is done in turns. */
function atOnceOrInTurns<Result, Finished>(
  steps: Steps<Result>,
  finish: (result: Result) => Finished,
): Finished | Promise<Finished> {
  const first = steps.next();
  return first.done === true ? finish(first.value) : doInTurns(steps).then(finish);
}
