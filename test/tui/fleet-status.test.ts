import type { FleetSourceStats } from '../../generated/reader-answers.js';
import { createArrayReader, sampleIssue } from './array-reader.js';
import { browse, endTerminals } from './running-terminal.js';

afterEach(endTerminals);

function sidecar(host: string, lagMs: number): FleetSourceStats {
  return { source: `uuid of ${host}`, host, lag_ms: lagMs, last_event_at: '2026-11-22T00:00:00.000Z', partitions: {} };
}

it('shows the sidecars of a gateway by the names of their hosts, those with the largest lag first', async () => {
  const reader = createArrayReader({ issues: [sampleIssue(1)] });
  const { stats } = reader;
  const sources = [sidecar('web-1', 100), sidecar('\u001b[2Jweb-2', 2_500), sidecar('', 300)];
  const gateway = { gateway: 'g', own: [1], pending: {}, lag_ms: 100, gaps: 0, redelivered: 0, sources };
  reader.stats = async () => ({ ...(await stats()), gateways: { nats: gateway } });
  const { terminal } = browse(reader);
  await terminal.see('Issues');
  terminal.type('S');
  const screen = (await terminal.see('SIDECAR')).join('\n');
  expect(screen).toMatch(/web-2 +2\.5s.*\n.*uuid of +0\.3s.*\n.*web-1 +0\.1s/);
});
