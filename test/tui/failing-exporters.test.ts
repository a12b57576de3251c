import type { ExporterStats } from '../../generated/reader-answers.js';
import { createArrayReader, sampleIssue } from './array-reader.js';
import { browse, endTerminals } from './running-terminal.js';

afterEach(endTerminals);

function exporter(changes: Partial<ExporterStats>): ExporterStats {
  const healthy = { destination: 'https://hooks.example.com', waiting: 0, oldest_age_ms: 0, sent: 9, lost: 0 };
  return { ...healthy, retention_held: false, failing: false, last_error: null, ...changes };
}

const failing = {
  failing: true,
  last_error: { message: 'the server answered 410: the address\u001b[2J is gone', at: '2026-11-22T00:00:00.000Z' },
};

describe('exporters', () => {
  it('that fail are shown in the title, and with the reason among the sources', async () => {
    const reader = createArrayReader({ issues: [sampleIssue(1)] });
    reader.exporters = { webhook: exporter(failing), otlp_http: exporter({ last_error: failing.last_error }) };
    const { terminal } = browse(reader);
    const rows = await terminal.see('webhook fails');
    expect(rows[0]).toMatch(/^ Faultline {2}Issues .*! webhook fails: S · \d events? · live$/);
    terminal.type('S');
    const overlay = (await terminal.see('the server answered 410')).join('\n');
    expect(overlay).toMatch(/webhook +https:\/\/hooks.example.com +0 +9 {2}failing/);
    expect(overlay).toContain('is gone');
    expect(overlay).toMatch(/otlp_http .* ok/);
  });

  it('are counted if several fail, and print nothing if none does', async () => {
    const reader = createArrayReader({ issues: [sampleIssue(1)] });
    reader.exporters = { webhook: exporter(failing), otlp_http: exporter(failing) };
    const { terminal } = browse(reader);
    expect((await terminal.see('exporters fail'))[0]).toContain('! 2 exporters fail: S');
    reader.exporters = { webhook: exporter({}), otlp_http: exporter({ last_error: failing.last_error }) };
    const rows = await terminal.seeNo('exporters fail');
    expect(rows[0]).toMatch(/^ Faultline {2}Issues +0 events · live$/);
  });
});
