import { startUpText } from '../../../collector/commands/start-up-text.js';

const DESCRIPTION = {
  receivers: [{ id: 'events', url: 'http://localhost:4318/v1/events' }],
  extensions: [{ id: 'query', url: 'http://localhost:4319' }],
  exporters: [
    { id: 'store', directory: '/data/a', keeps: 'for 720h' },
    { id: 'store/long', directory: '/data/b', keeps: 'for ever' },
  ],
};

describe('the text at the start of a collector', () => {
  it('has the URL of its metrics if they are served', () => {
    const served = startUpText({ ...DESCRIPTION, metrics: 'http://localhost:8888/metrics' });
    expect(served).toMatch(/^ {2}metrics +http:\/\/localhost:8888\/metrics$/m);
    expect(startUpText(DESCRIPTION)).not.toContain('metrics');
  });

  it('has the retention setting of each store', () => {
    expect(startUpText(DESCRIPTION).match(/^Events are kept .*$/gm)).toEqual([
      'Events are kept for 720h (exporters.store.retention).',
      'Events are kept for ever (exporters.store/long.retention).',
    ]);
  });

  it('shows where to set a token, without the token', () => {
    const open = startUpText(DESCRIPTION, new Set(['otlp', 'query/other']));
    expect(open).not.toMatch(/authorization|--token-file/);
    const secured = startUpText(DESCRIPTION, new Set(['events', 'query']));
    expect(secured).toContain('/v1/events -H "authorization: Bearer $FAULTLINE_INGEST_TOKEN" -H');
    expect(secured).toMatch(/^ {2}npx faultline browse --token-file <file>$/m);
  });
});
