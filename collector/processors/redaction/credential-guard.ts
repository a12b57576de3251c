import type { ReceivedEvent } from '../../../core/contract/stages.js';
import { beginTimeSlice } from '../../../core/time-slice.js';
import type { RedactionProcessorSettings } from '../../../generated/settings.js';
import type { Batch, Consumer } from '../../component/consumer.js';
import { finishNow, runInSlices, runNowOrInSlices, type Steps } from '../event-processor/steps.js';
import { HttpCredentials } from './http-credentials.js';
import { redactRejected } from './redact-rejected.js';
import { Tally } from './tally.js';

/** Whether the processor `redaction` with these settings masks credentials of HTTP itself. */
export function masksCredentials({ builtin_patterns: kinds }: RedactionProcessorSettings): boolean {
  return kinds.includes('cookies') && kinds.includes('bearer_tokens');
}

/** Masks credentials of HTTP in all that passes to `next`, for pipelines whose processors do not. */
export function createCredentialGuard(next: Consumer): Consumer {
  const credentials = new HttpCredentials();
  const redactors = { texts: credentials.texts, values: credentials };
  // Nothing is counted; it only says when to pause.
  const tally = new Tally();

  function* masked(event: ReceivedEvent): Steps<ReceivedEvent> {
    if (isMasked(event)) return event;
    const { payload } = event;
    const { tags, extra } = payload;
    const searched = { tags, extra };
    const masked = yield* credentials.redactValue(searched, tally);
    return masked === searched ? event : { payload: { ...payload, ...masked } };
  }

  async function maskedBatch(batch: Batch): Promise<Batch> {
    const { events, rejected } = batch;
    const slice = beginTimeSlice();
    const results: ReceivedEvent[] = [];
    for (const event of events) {
      if (slice.isOver) await slice.next();
      const result = runNowOrInSlices(masked(event));
      results.push(result instanceof Promise ? await result : result);
    }
    if (rejected === undefined) return { ...batch, events: results };
    const payloads = [];
    for (const payload of rejected) payloads.push(await runInSlices(redactRejected(payload, redactors, tally)));
    return { ...batch, events: results, rejected: payloads };
  }

  const { prepare } = next;
  return {
    // Not async: a caller that waits for the disk must not keep the events alive.
    consume(batch) {
      const isReady = batch.rejected === undefined && batch.events.every(isMasked);
      return isReady ? next.consume(batch) : maskedBatch(batch).then((one) => next.consume(one));
    },
    ...(prepare !== undefined && { prepare: (event) => prepare(finishNow(masked(event))) }),
  };
}

/** Whether `prepare` made the event. */
function isMasked({ grouping }: ReceivedEvent): boolean {
  return grouping !== undefined;
}
