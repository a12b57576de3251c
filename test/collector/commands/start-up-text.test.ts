import { startUpText } from '../../../collector/commands/start-up-text.js';

const DESCRIPTION = {
  receivers: [
    { id: 'events', url: 'http://localhost:5318/v1/events' },
    { id: 'otlp', url: 'http://localhost:5318' },
    { id: 'otlp', url: 'grpc://localhost:5317' },
    { id: 'sentry', url: 'http://key@localhost:5318/1' },
  ],
  extensions: [{ id: 'query', url: 'http://localhost:5319' }],
  exporters: [{ id: 'store', directory: `${process.cwd()}/shop`, keeps: 'for 30 days, at most 10 GiB' }],
};
const text = (changes: object = {}, secured: readonly string[] = []) =>
  startUpText({ ...DESCRIPTION, ...changes }, { version: '0.1.0', secured: new Set(secured) });

describe('the text at the start of a collector', () => {
  it('lists the addresses and the commands to send an event and to browse', () => {
    expect(text()).toBe(`faultline 0.1.0 is collecting into ./shop

  events and OpenTelemetry  http://localhost:5318
  OpenTelemetry gRPC        localhost:5317
  Sentry DSN                http://key@localhost:5318/1
  reading                   http://localhost:5319

Events are kept for 30 days, at most 10 GiB.
Try it:  faultline send --url http://localhost:5318
Look:    faultline browse --url http://localhost:5319
`);
  });

  it('lists other components by their ids, and health and metrics only if they are served', () => {
    const receivers = [
      { id: 'events/browser', url: 'http://localhost:1/v1/events' },
      { id: 'otlp', url: 'http://localhost:2' },
    ];
    const extensions = [...DESCRIPTION.extensions, { id: 'health_check', url: 'http://localhost:13133' }];
    const rows = text({ receivers, extensions, metrics: 'http://localhost:8888/metrics' }).match(/^ {2}\S.*$/gm);
    expect(rows?.map((row) => row.trim().split(/ {2,}/))).toEqual([
      ['events/browser', 'http://localhost:1'],
      ['OpenTelemetry', 'http://localhost:2'],
      ['reading', 'http://localhost:5319'],
      ['health', 'http://localhost:13133'],
      ['metrics', 'http://localhost:8888/metrics'],
    ]);
  });

  it('leaves out --url for the default addresses, and reads the folder without a reading address', () => {
    const receivers = [{ id: 'events', url: 'http://localhost:4318/v1/events' }];
    const standard = text({ receivers, extensions: [{ id: 'query', url: 'http://localhost:4319' }] });
    expect(standard).toMatch(/^Try it: {2}faultline send$/m);
    expect(standard).toMatch(/^Look: {4}faultline browse$/m);
    expect(text({ extensions: [] })).toContain(`faultline browse --data ${process.cwd()}/shop`);
  });

  it('has the retention of each store', () => {
    const exporters = [
      { id: 'store', directory: '/data/a', keeps: 'for 1 day' },
      { id: 'store/long', directory: '/data/b', keeps: 'until you remove them' },
    ];
    expect(text({ exporters })).toMatch(/ is collecting into \/data\/a and \/data\/b$/m);
    expect(text({ exporters }).match(/^Events .*$/gm)).toEqual([
      'Events of store are kept for 1 day.',
      'Events of store/long are kept until you remove them.',
    ]);
  });

  it('shows where to set a token, without the token', () => {
    expect(text({}, ['otlp', 'query/other'])).not.toMatch(/TOKEN|--token-file/);
    const secured = text({}, ['events', 'query']);
    expect(secured).toContain('FAULTLINE_INGEST_TOKEN=<token> faultline send --url http://localhost:5318');
    expect(secured).toMatch(/^Look: .* --token-file <file>$/m);
  });
});
