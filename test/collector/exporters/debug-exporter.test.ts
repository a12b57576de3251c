import { pino } from 'pino';
import { createDebugExporter, createLineSampler } from '../../../collector/exporters/debug-exporter.js';
import { HostedExporter } from '../../../collector/exporters/sending/hosted-exporter.js';
import { ComponentStates } from '../../../collector/telemetry/component-states.js';
import { Meters } from '../../../collector/telemetry/meters.js';
import type { DebugExporterSettings } from '../../../generated/settings.js';
import { closeStores, type StoreUnderTest, storeUnderTest } from '../../core/storage/store-under-test.js';
import { removeTemporaryFolders } from '../../helpers/temporary-folder.js';
import { waitFor } from '../../helpers/wait-for.js';

const running: HostedExporter[] = [];

afterEach(async () => {
  await Promise.all(running.splice(0).map((exporter) => exporter.shutdown()));
  await closeStores();
});
afterAll(removeTemporaryFolders);

async function shown(
  verbosity: DebugExporterSettings['verbosity'],
  sampling: Partial<DebugExporterSettings> = {},
): Promise<{ under: StoreUnderTest; written: string[] }> {
  const under = await storeUnderTest();
  await under.append({ message: 'from before its start' });
  const written: string[] = [];
  const settings = { verbosity, sampling_initial: 2, sampling_thereafter: 1, ...sampling };
  const created = createDebugExporter(settings, { id: 'debug' }, async (text) => void written.push(text));
  const place = { store: { opened: () => under.store }, logger: pino({ level: 'silent' }), meters: new Meters() };
  const exporter = new HostedExporter('debug', created, { ...place, states: new ComponentStates() });
  running.push(exporter);
  await exporter.start();
  return { under, written };
}

describe('exporter debug', () => {
  it('prints the number of events', async () => {
    const { under, written } = await shown('basic');
    await under.append({}, {}, {});
    expect(await waitFor('a line', () => written[0])).toBe('debug: 3 events\n');
  });

  it('prints each event on a line of its own, with control characters escaped', async () => {
    const { under, written } = await shown('normal');
    const stored = await under.append(
      { message: 'a\u001b[2J\nfake: line \u202e', error_name: 'Odd' },
      { message: 'b' },
    );
    const text = await waitFor('lines', () => written[0]);
    const [first, second] = stored.map(({ event_id }) => event_id);
    expect(text.split('\n')).toEqual([
      `debug: ${first} error shop/api production Odd: a\\u{1b}[2J\\u{a}fake: line \\u{202e} (PUT /api/v1/cart/lines 422)`,
      expect.stringContaining(`${second} error`),
      '',
    ]);
  });

  it('prints every field in alphabetical order', async () => {
    const { under, written } = await shown('detailed');
    const [stored] = await under.append({ message: 'x'.repeat(10_000), tags: { a: '\u0007' } });
    const text = await waitFor('lines', () => written[0]);
    const lines = text.split('\n');
    expect(lines[0]).toBe(`debug: Event ${stored?.event_id}`);
    expect(lines).toContain('  app: "shop"');
    expect(lines).toContain('  tags: {"a":"\\u0007"}');
    expect(lines).toContain(`  raw: ${stored?.raw.path} (line 1)`);
    expect(Math.max(...lines.map((line) => line.length))).toBeLessThan(5_000);
    expect(text).not.toContain('from before its start');
  });

  it('stores no cursor', async () => {
    const { under, written } = await shown('basic');
    await under.append({});
    await waitFor('a line', () => written[0]);
    const again = await under.store.follow({ name: 'debug', startAt: 'beginning', holdMs: 0 }).catch((error) => error);
    expect(again).toMatchObject({ code: 'FOLLOWER_EXISTS' });
    expect(under.faults).toEqual([]);
  });

  it('prints the first lines of a second, and a sample of the others', () => {
    let nowMs = 0;
    const isShown = createLineSampler(2, 3, () => nowMs);
    const print = (lines: number) => Array.from({ length: lines }, isShown).map(Number);
    expect(print(8)).toEqual([1, 1, 0, 0, 1, 0, 0, 1]);
    nowMs = 1_000;
    expect(print(3)).toEqual([1, 1, 0]);
    const none = createLineSampler(1, 0, () => 0);
    expect(Array.from({ length: 3 }, none)).toEqual([true, false, false]);
  });
});
