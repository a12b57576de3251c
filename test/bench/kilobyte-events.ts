import type { RawPayload } from '../../core/event/raw-payload.js';
import { sampleEvent } from './sample-events.js';

/** The number of frames in an event of about 1 kB. */
const FRAMES = 7;

/** Returns a sample event of about 1 kB without secrets. */
export function kilobyteEvent(kind: number, serial: number): RawPayload {
  const event = sampleEvent(kind, serial);
  const lines = (event.stack ?? '').split('\n');
  return { ...event, stack: lines.slice(0, 1 + FRAMES).join('\n') };
}

/** The number of secrets in an event of `eventWithSecrets`. */
export const SECRETS = 3;

/** Returns a 1 kB event with a password in its message, a bearer token in `extra` and a mail address in a tag. */
export function eventWithSecrets(kind: number, serial: number): RawPayload {
  const event = kilobyteEvent(kind, serial);
  const token = serial.toString(16).padStart(40, 'ab');
  return {
    ...event,
    message: `${event.message}: password=Kq7-${serial}-vL`,
    extra: { ...event.extra, request: { headers: { authorization: `Bearer ${token}` } } },
    tags: { ...event.tags, contact: `user${serial}@shop.example.com` },
  };
}
