import type { Consumer, Outcome } from '../../collector/component/consumer.js';
import { toEventId, toIssueId } from '../../core/event/ids.js';
import { computeFingerprint } from '../core/fingerprint/compute-fingerprint.js';
import { sampleEvent } from './sample-events.js';

/** A consumer that answers at once that everything is stored, and does nothing else: answers for batches of one length are made once. */
export function createInstantConsumer(): Consumer {
  const outcome = storedOutcome();
  const answers = new Map<number, Promise<readonly Outcome[]>>();
  return {
    consume({ events: { length } }) {
      const answer = answers.get(length) ?? Promise.resolve(Array<Outcome>(length).fill(outcome));
      answers.set(length, answer);
      return answer;
    },
  };
}

function storedOutcome(): Outcome {
  const event_id = toEventId('01890000-0000-7000-8000-000000000000');
  const issue_id = toIssueId('6ba7b810-9dad-51d1-80b4-00c04fd430c8');
  if (event_id === undefined || issue_id === undefined) throw new Error('these are no ids');
  const fingerprint = computeFingerprint(sampleEvent(0, 0)).value;
  return { kind: 'stored', stored: { event_id, issue_id, fingerprint, raw: { path: '/raw.ndjson', line: 0 } } };
}
