import type { Fingerprint } from '../../../core/fingerprint/fingerprint.js';
import { openEventStore } from '../../../core/storage/event-store.js';
import { computeFingerprint } from '../../core/fingerprint/compute-fingerprint.js';
import { filledStoreEvent, kindOf } from '../sample-issues.js';

const BATCH = 1000;
/** The number of printed event ids. */
const SAMPLES = 2000;

/**
 * Fills a data folder through the store, much faster than over HTTP: `fill-store <folder> <events> <issues>`.
 * Prints JSON: ids of some events, of the frequent issue and of some rare ones.
 */
const [directory = '', eventsText, issuesText] = process.argv.slice(2);
const events = Number(eventsText);
const issues = Number(issuesText);

const store = await openEventStore({ directory, durability: 'os' });
// Fingerprints are cached, because computing them takes most of the time.
const fingerprints: Fingerprint[] = [];
const eventIds: string[] = [];
const rareIssues: string[] = [];
let frequentIssue = '';
for (let first = 0; first < events; first += BATCH) {
  const batch = Array.from({ length: Math.min(BATCH, events - first) }, (_, index) => {
    const kind = kindOf(first + index, issues);
    const payload = filledStoreEvent(kind, first + index);
    fingerprints[kind] ??= computeFingerprint(payload);
    return { payload, fingerprint: fingerprints[kind] };
  });
  const stored = await store.append(batch);
  for (const [index, { event_id, issue_id }] of stored.entries()) {
    const serial = first + index;
    if (serial === 0) frequentIssue = issue_id;
    if (serial % Math.max(1, Math.floor(events / SAMPLES)) === 7) {
      eventIds.push(event_id);
      if (kindOf(serial, issues) !== 0 && issue_id !== frequentIssue) rareIssues.push(issue_id);
    }
  }
}
await store.close();
process.stdout.write(`${JSON.stringify({ eventIds, rareIssues: [...new Set(rareIssues)], frequentIssue })}\n`);
