import type { Consumer, Outcome } from '../../collector/component/consumer.js';
import { toEventId, toIssueId } from '../../core/event/ids.js';
import { computeFingerprint } from '../core/fingerprint/compute-fingerprint.js';
import { sampleEvent } from './sample-events.js';

/** Creates a consumer that reports every event as stored without work; results are cached by batch length. */
export function createInstantConsumer(): Consumer {
  const outcome = storedOutcome();
  const outcomesByLength = new Map<number, Promise<readonly Outcome[]>>();
  return {
    consume({ events: { length } }) {
      const outcomes = outcomesByLength.get(length) ?? Promise.resolve(Array<Outcome>(length).fill(outcome));
      outcomesByLength.set(length, outcomes);
      return outcomes;
    },
  };
}

function storedOutcome(): Outcome {
  const event_id = toEventId('01890000-0000-7000-8000-000000000000');
  const issue_id = toIssueId('6ba7b810-9dad-51d1-80b4-00c04fd430c8');
  if (event_id === undefined || issue_id === undefined) throw new Error('the ids are invalid');
  const fingerprint = computeFingerprint(sampleEvent(0, 0)).value;
  return { kind: 'stored', stored: { event_id, issue_id, fingerprint, raw: { path: '/raw.ndjson', line: 0 } } };
}
