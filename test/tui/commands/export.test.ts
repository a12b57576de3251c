import { EventEmitter } from 'node:events';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Fault } from '../../../core/event/fault.js';
import { runExport } from '../../../tui/commands/export.js';
import { outputs } from '../../helpers/outputs.js';
import { removeTemporaryFolders, temporaryFolder } from '../../helpers/temporary-folder.js';
import { createArrayReader, sampleEvent, sampleEventId, sampleIssue } from '../array-reader.js';

afterAll(removeTemporaryFolders);

const HOSTILE = '\u001b]52;c;aGk=\u0007\u009b2J\u202e\r\n=1';
const reader = createArrayReader({
  issues: [sampleIssue(1)],
  events: [sampleEvent(1, 1), sampleEvent(1, 2, { message: HOSTILE })],
});
const base = { reader, format: 'ndjson', signals: new EventEmitter() } as const;

describe('faultline export', () => {
  it('prints one event per line and nothing else', async () => {
    const to = outputs();
    expect(await runExport({ ...base, ...to })).toBe(0);
    const lines = to.out().split('\n').slice(0, -1);
    expect(lines.map((line) => JSON.parse(line).event_id)).toEqual([sampleEventId(2), sampleEventId(1)]);
    expect(to.err()).toBe('');
  });

  it('prints no control sequences of a record to a terminal', async () => {
    for (const format of ['csv', 'ndjson'] as const) {
      const to = outputs(80);
      await runExport({ ...base, ...to, format });
      expect(to.out()).toContain('52;c;aGk=');
      expect(to.out().replaceAll('\n', '')).not.toMatch(/[\p{Cc}\p{Cf}]/u);
    }
  });

  it('writes a file, reports the number of rows, and shows progress on a terminal', async () => {
    const path = join(await temporaryFolder(), 'out.csv');
    const to = outputs();
    Object.assign(to.stderr, { isTTY: true });
    expect(await runExport({ ...base, ...to, issues: true, format: 'csv', output: path })).toBe(0);
    expect((await readFile(path, 'utf8')).split('\r\n')).toHaveLength(3);
    expect(to.out()).toBe('');
    expect(to.err()).toMatch(new RegExp(`1 written \\(100%\\).*\\r\\u001b\\[K1 issue exported to ${path}\\.\\n$`));
    const again = outputs();
    expect(await runExport({ ...base, ...again, output: path })).toBe(1);
    expect(again.err()).toContain('exists; name another one');
    expect(await runExport({ ...base, ...outputs(), output: path, force: true })).toBe(0);
    expect((await readFile(path, 'utf8')).split('\n')).toHaveLength(3);
  });

  it('removes its file when it fails or is interrupted', async () => {
    const folder = await temporaryFolder();
    const failing = createArrayReader();
    failing.fault = new Fault('COLLECTOR_UNREACHABLE', 'nobody');
    expect(await runExport({ ...base, ...outputs(), reader: failing, output: join(folder, 'a') })).toBe(1);
    const signals = new EventEmitter();
    const endless = createArrayReader();
    const { searchEvents } = endless;
    endless.searchEvents = async (options) => {
      signals.emit('SIGINT');
      return { ...(await searchEvents(options)), events: (await reader.searchEvents()).events, next_cursor: 'on' };
    };
    endless.getEvent = reader.getEvent;
    expect(await runExport({ ...base, ...outputs(), reader: endless, signals, output: join(folder, 'b') })).toBe(130);
    expect(await readdir(folder)).toEqual([]);
  });

  it('ends when the reader of its output exits', async () => {
    const to = outputs();
    to.stdout._write = (_chunk, _encoding, done) => done(Object.assign(new Error('write EPIPE'), { code: 'EPIPE' }));
    const endless = createArrayReader({ issues: [sampleIssue(1)], events: [...reader.events] });
    endless.searchEvents = async () => ({ ...(await reader.searchEvents()), next_cursor: 'on' });
    expect(await runExport({ ...base, ...to, reader: endless })).toBe(0);
  });

  it('reports an invalid call', async () => {
    expect(await runExport({ ...base, ...outputs(), query: '(' })).toBe(2);
    const to = outputs();
    expect(await runExport({ ...base, ...to, issues: true, normalized: true })).toBe(2);
    expect(to.err()).toContain('--normalized');
  });
});
