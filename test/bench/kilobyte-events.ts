import type { RawPayload } from '../../core/event/raw-payload.js';
import { sampleEvent } from './sample-events.js';

/** As many of the sample event's frames as make an event of about 1 kB. */
const FRAMES = 7;

/** An event of about 1 kB without secrets; numbers mean what they mean for the sample event. */
export function kilobyteEvent(kind: number, serial: number): RawPayload {
  const event = sampleEvent(kind, serial);
  const lines = (event.stack ?? '').split('\n');
  return { ...event, stack: lines.slice(0, 1 + FRAMES).join('\n') };
}

/** How many secrets an event of `eventWithSecrets` has. */
export const SECRETS = 3;

/** The same with a password in its message, a bearer token in `extra` and a mail address in a tag. */
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
