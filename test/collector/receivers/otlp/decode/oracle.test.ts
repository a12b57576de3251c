import fc from 'fast-check';
import { enlarged, logsOf, spansOf } from './decoded.js';
import { decodeByOracle, encodeByOracle } from './oracle.js';
import { logsRequests, tracesRequests } from './requests.js';

describe('a request', () => {
  it('has the same log records in both encodings as OpenTelemetry decodes', async () => {
    await fc.assert(
      fc.asyncProperty(logsRequests, async (request) => {
        const body = encodeByOracle('logs', request);
        const decoded = await logsOf(body);
        expect(decoded).toEqual(await logsOf(request));
        expect(decoded).toEqual(await logsOf(decodeByOracle('logs', body)));
        expect(decoded.bad).toEqual([]);
      }),
    );
  });

  it('has the same spans in both encodings as OpenTelemetry decodes', async () => {
    await fc.assert(
      fc.asyncProperty(tracesRequests, async (request) => {
        const body = encodeByOracle('traces', request);
        const decoded = await spansOf(body);
        expect(decoded).toEqual(await spansOf(request));
        expect(decoded).toEqual(await spansOf(decodeByOracle('traces', body)));
      }),
    );
  });

  it('has the same records in small and in large JSON', async () => {
    await fc.assert(
      fc.asyncProperty(logsRequests, tracesRequests, async (someLogs, someTraces) => {
        // Padding alone is not a request.
        const [logs, traces] = [
          { resourceLogs: [], ...someLogs },
          { resourceSpans: [], ...someTraces },
        ];
        expect(await logsOf(enlarged(logs), 'json')).toEqual(await logsOf(logs));
        expect(await spansOf(enlarged(traces), 'json')).toEqual(await spansOf(traces));
      }),
    );
  });
});
