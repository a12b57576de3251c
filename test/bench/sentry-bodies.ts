import { sampleEvent } from './sample-events.js';
import { word } from './word.js';

/** Returns an envelope with one error event of 18 frames, like those of the Node SDK. It has no id, because a load repeats bodies and an id is stored once. */
export function sentryEnvelope(serial: number, kinds: number): Buffer {
  const { error_name, message, release, user_id, tags } = sampleEvent(serial % kinds, serial);
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
  return Buffer.from(`{}\n{"type":"event"}\n${JSON.stringify(event)}`);
}
