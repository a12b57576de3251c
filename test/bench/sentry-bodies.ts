import type { RawPayload } from '../../core/event/raw-payload.js';
import { sampleEvent } from './sample-events.js';
import { word } from './word.js';

/** Returns an envelope with one error event of 18 frames, like those of the Node SDK; without an id it is stored again if it is repeated. */
export function sentryEnvelope(
  serial: number,
  kinds: number,
  source: RawPayload = sampleEvent(serial % kinds, serial),
  eventId?: string,
): Buffer {
  const { error_name, message, release, user_id, tags } = source;
  const name = word(serial % kinds);
  const frames = Array.from({ length: 18 }, (_, height) => {
    const depth = 17 - height;
    return {
      filename: `/srv/checkout/src/${depth === 0 ? name : `layer-${depth}`}/handler.js`,
      module: 'handler',
      function: depth === 0 ? name : `step${depth}`,
      lineno: 10 + (serial % 7),
      colno: 5 + depth,
      in_app: depth < 9,
    };
  });
  const event = {
    ...(eventId !== undefined && { event_id: eventId }),
    timestamp: 1_790_000_000 + serial / 1000,
    platform: 'node',
    level: 'error',
    environment: 'production',
    release,
    tags,
    user: { id: user_id },
    request: { method: 'POST', url: 'http://shop.test/api/v1/checkout' },
    contexts: { runtime: { name: 'node', version: 'v20.20.2' } },
    exception: { values: [{ type: error_name, value: message, stacktrace: { frames } }] },
  };
  const header = JSON.stringify(eventId === undefined ? {} : { event_id: eventId });
  return Buffer.from(`${header}\n{"type":"event"}\n${JSON.stringify(event)}`);
}
