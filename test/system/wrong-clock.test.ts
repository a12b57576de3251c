import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { killLeftoverProcesses, runFaultline, startCollector, stop } from '../helpers/faultline-process.js';
import { removeTemporaryFolders, temporaryFolder } from '../helpers/temporary-folder.js';
import { waitFor } from '../helpers/wait-for.js';
import { failure, send } from './send-failures.js';

const run = promisify(execFile);

/** Returns the path of libfaketime, which changes the wall clock; undefined without the Debian package `faketime`. */
async function findLibrary(): Promise<string | undefined> {
  const { stdout } = await run('dpkg', ['-L', 'libfaketime']).catch(() => ({ stdout: '' }));
  const library = stdout.split('\n').find((path) => path.endsWith('/libfaketime.so.1'));
  if (library === undefined || !existsSync(library)) console.warn('SKIPPED: the package faketime is not installed');
  return library;
}

afterEach(killLeftoverProcesses);
afterAll(removeTemporaryFolders);

const RETENTION = ['--set=exporters.store.retention.max_age=1h'];

async function eventsIn(directory: string): Promise<number> {
  const { stdout } = await runFaultline(['events', '--data', directory, '--format', 'ndjson']);
  return stdout.split('\n').filter((line) => line !== '').length;
}

describe.each(['+10d', '+10y'])('a clock that is wrong by %s', (jump) => {
  it('does not let retention remove events while a collector runs or when it starts, and is reported', async () => {
    const library = await findLibrary();
    if (library === undefined) return;
    const directory = await temporaryFolder();
    const clock = join(await temporaryFolder(), 'clock');
    const setClock = (offset: string): Promise<void> => writeFile(clock, `${offset}\n`);
    const env = {
      LD_PRELOAD: library,
      FAKETIME_TIMESTAMP_FILE: clock,
      FAKETIME_NO_CACHE: '1',
      FAKETIME_DONT_FAKE_MONOTONIC: '1',
      DONT_FAKE_MONOTONIC: '1',
    };
    await setClock('+0');
    let collector = await startCollector(directory, RETENTION, { env });
    await send(collector, [failure('Alder')]);
    await setClock(jump);
    await send(collector, [failure('Birch')]);
    const { output } = collector;
    await waitFor('the jump to be reported', () => `${output.stdout}${output.stderr}`.includes('CLOCK_AHEAD'));
    expect(await stop(collector)).toMatchObject({ code: 0 });
    expect(await eventsIn(directory)).toBe(2);

    // Written at the end of the first run of retention and at the stop.
    const note = join(directory, 'cursors', 'retention.note');
    const before = await readFile(note, 'utf8');
    collector = await startCollector(directory, RETENTION, { env });
    await send(collector, [failure('Cedar')]);
    await waitFor('the first run of retention', async () => (await readFile(note, 'utf8')) !== before);
    expect(await stop(collector)).toMatchObject({ code: 0 });
    expect(await eventsIn(directory)).toBe(3);

    await setClock('+0');
    collector = await startCollector(directory, RETENTION, { env });
    await send(collector, [failure('Dogwood')]);
    const { output: laterOutput } = collector;
    await waitFor('the clock behind to be reported', () =>
      `${laterOutput.stdout}${laterOutput.stderr}`.includes('CLOCK_BEHIND'),
    );
    expect(await stop(collector)).toMatchObject({ code: 0 });
    expect(await eventsIn(directory)).toBe(4);
    const verified = await runFaultline(['verify', '--data', directory, '--json']);
    expect(verified.code).toBe(0);
    expect(verified.stdout).toContain('PARTITION_AHEAD');
  });
});
