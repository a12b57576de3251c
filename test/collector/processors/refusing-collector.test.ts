import { serverPayload } from '../../helpers/payloads.js';
import { removeTemporaryFolders, temporaryFolder } from '../../helpers/temporary-folder.js';
import { originOf, settingsFor, startService, stopServices } from '../running-service.js';

afterEach(stopServices);
afterAll(removeTemporaryFolders);

const FAILURE = JSON.stringify({
  resourceLogs: [{ scopeLogs: [{ logRecords: [{ severityNumber: 17, body: { stringValue: 'out of seats' } }] }] }],
});
const ENVELOPE = `{}\n{"type":"event"}\n{"message":"out of seats","level":"error"}\n`;
const KEY = '565626d49d522e34de49f2b5665fdf31';

describe('a collector above its memory limit', () => {
  it('asks every client to retry in a moment', async () => {
    const settings = settingsFor(
      await temporaryFolder(),
      'service.pipelines.events.receivers=[events,otlp,sentry]',
      'receivers.otlp.protocols={http: {endpoint: "127.0.0.1:0"}}',
      'receivers.sentry.endpoint=127.0.0.1:0',
      'processors.memory_limiter.limit_mib=1',
      'service.pipelines.events.processors=[memory_limiter]',
    );
    const running = await startService(settings);
    const json = { 'content-type': 'application/json' };
    const requests: [string, string, Record<string, string>][] = [
      [`${originOf(running, 'events')}/v1/events`, JSON.stringify(serverPayload()), json],
      [`${originOf(running, 'otlp')}/v1/logs`, FAILURE, json],
      [`${originOf(running, 'sentry')}/api/1/envelope/?sentry_key=${KEY}`, ENVELOPE, {}],
    ];
    for (const [url, body, headers] of requests) {
      const response = await fetch(url, { method: 'POST', body, headers });
      expect([url, response.status, response.headers.get('retry-after')]).toEqual([url, 503, '1']);
      expect(await response.text()).toContain('data refused due to high memory usage');
    }
  });
});
