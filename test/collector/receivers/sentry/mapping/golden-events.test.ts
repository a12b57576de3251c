import { readdirSync, readFileSync } from 'node:fs';
import { mapSentryEvent } from '../../../../../collector/receivers/sentry/mapping/map-event.js';
import { RAW_PAYLOAD_KEYS } from '../../../../../core/event/raw-payload.js';
import { computeFingerprint } from '../../../../core/fingerprint/compute-fingerprint.js';
import { accepted } from './mapped.js';

const FOLDER = new URL('../../../../fixtures/sentry/events/', import.meta.url);
const NAMES = readdirSync(FOLDER);

/** Events as SDKs write them, each named by its oddity. */
describe('a Sentry event as a payload', () => {
  it.each(NAMES)('%s', (name) => {
    const { event, envelope, project, received, payload } = JSON.parse(readFileSync(new URL(name, FOLDER), 'utf8'));
    const mapped = mapSentryEvent(event, { project, origin: 'local', envelope, receivedMs: Date.parse(received) });
    expect(Object.keys(mapped).sort()).toEqual(RAW_PAYLOAD_KEYS);
    expect(mapped).toEqual(payload);
  });

  it.each(NAMES)('%s is grouped by its structured frames, template and fingerprint', (name) => {
    const { payload, fingerprint } = JSON.parse(readFileSync(new URL(name, FOLDER), 'utf8'));
    const { basis, title, culprit } = computeFingerprint(accepted(payload));
    const used = basis.parts.filter((part) => part.used).map((part) => [part.part, part.value]);
    expect({ rule: basis.rule, title, culprit, used: Object.fromEntries(used) }).toEqual(fingerprint);
  });
});
