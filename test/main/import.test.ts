import { appendFile, readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { endLeftProcesses, runFaultline, startFaultline, stop } from '../helpers/faultline-process.js';
import { kindOfFailure } from '../helpers/payloads.js';
import { removeTemporaryFolders, temporaryFolder } from '../helpers/temporary-folder.js';
import { waitFor } from '../helpers/wait-for.js';

afterAll(async () => {
  endLeftProcesses();
  await removeTemporaryFolders();
});

async function rawLines(directory: string): Promise<string[]> {
  const names = await readdir(join(directory, 'raw'), { recursive: true }).catch(() => []);
  const files = names.filter((name) => name.endsWith('raw.ndjson'));
  const texts = await Promise.all(files.map((name) => readFile(join(directory, 'raw', name), 'utf8')));
  return texts.flatMap((text) => text.split('\n').filter((line) => line !== ''));
}

async function sampleFile(count: number): Promise<string> {
  const file = join(await temporaryFolder(), 'failures.ndjson');
  const lines = Array.from({ length: count }, (_, index) =>
    JSON.stringify(
      kindOfFailure(index % 50, { request_id: `r-${index}`, env: index % 3 === 0 ? 'production' : 'staging' }),
    ),
  );
  await writeFile(file, `${lines.join('\n')}\n`);
  return file;
}

describe('faultline import', () => {
  it('stores every payload once, and nothing twice when it is repeated with the same id', async () => {
    const directory = await temporaryFolder();
    const file = await sampleFile(1700);
    expect(await runFaultline(['import', file, '--id', 'march', '--data', directory])).toMatchObject({
      code: 0,
      stdout: '1700 stored, 0 rejected\n',
      stderr: '',
    });
    const again = await runFaultline(['import', file, '--id', 'march', '--data', directory]);
    expect(again).toMatchObject({ code: 0, stdout: '0 stored, 0 rejected, 1700 already stored by an earlier run\n' });
    expect(await rawLines(directory)).toHaveLength(1700);
  });

  it('keeps for how many events an exported one counts', async () => {
    const file = join(await temporaryFolder(), 'failures.ndjson');
    const payload = kindOfFailure(1, { extra: { faultline: { sampled: 41 } } });
    // One that is stored as it is, and one that is completed.
    await writeFile(file, `${JSON.stringify(payload)}\n${JSON.stringify({ ...payload, host: 'web-1' })}\n`);
    const directories = [await temporaryFolder(), await temporaryFolder()] as const;
    const exported = join(await temporaryFolder(), 'exported.ndjson');
    for (const [index, directory] of directories.entries()) {
      await runFaultline(['import', index === 0 ? file : exported, '--data', directory]);
      const { stdout } = await runFaultline(['issues', '--json', '--data', directory]);
      expect(JSON.parse(stdout)).toMatchObject({ issues: [{ count: 84, sampled: 82 }] });
      await writeFile(exported, (await runFaultline(['export', '--data', directory])).stdout);
    }
    expect(await rawLines(directories[1])).toHaveLength(2);
  });

  it('knows again what recovery kept of a batch whose rest a later run stored', async () => {
    const directory = await temporaryFolder();
    const file = await sampleFile(500);
    const other = join(await temporaryFolder(), 'other.ndjson');
    await writeFile(other, `${JSON.stringify(kindOfFailure(1, { env: 'production', request_id: 'other' }))}\n`);
    await runFaultline(['import', other, '--id', 'other', '--data', directory]);
    // As a crash leaves them: lines that arrived, without a commit.
    const [raw = ''] = (await readdir(join(directory, 'raw'), { recursive: true })).filter((name) =>
      name.endsWith('raw.ndjson'),
    );
    const lines = (await readFile(file, 'utf8')).split('\n').filter((line) => line.includes('"production"'));
    await appendFile(join(directory, 'raw', raw), `${lines.slice(0, 40).join('\n')}\n`);
    for (const told of ['460 stored, 0 rejected, 40 already', '0 stored, 0 rejected, 500 already']) {
      const { stdout } = await runFaultline(['import', file, '--id', 'march', '--data', directory]);
      expect(stdout).toBe(`${told} stored by an earlier run\n`);
    }
    expect(await rawLines(directory)).toHaveLength(501);
  });

  it('goes on where it was killed, and ends with every payload exactly once', async () => {
    const file = await sampleFile(20_000);
    const directory = await temporaryFolder();
    for (const wanted of [500, 4000, 9000]) {
      const run = startFaultline(['import', file, '--id', 'march', '--data', directory]);
      await waitFor(
        'some of it to be stored',
        async () => run.child.exitCode !== null || (await rawLines(directory)).length > wanted,
      );
      await stop(run, 'SIGKILL');
    }
    expect((await runFaultline(['import', file, '--id', 'march', '--data', directory])).code).toBe(0);
    const ids = (await rawLines(directory)).map((line): unknown => JSON.parse(line).request_id);
    expect(ids).toHaveLength(20_000);
    expect(new Set(ids).size).toBe(20_000);
  }, 120_000);

  it('names file, line and field of what it cannot take, and stores the rest', async () => {
    const directory = await temporaryFolder();
    const input = [
      '{"half":',
      JSON.stringify(kindOfFailure(1)),
      '',
      JSON.stringify({ ...kindOfFailure(2), message: 5 }),
    ].join('\n');
    const done = await runFaultline(['import', '-', '--data', directory], { input });
    expect(done).toMatchObject({ code: 1, stdout: '1 stored, 2 rejected\n' });
    expect(done.stderr).toMatch(/^-:1: the line is not JSON/m);
    expect(done.stderr).toMatch(/^-:4: \/message must be string$/m);
  });

  it('refuses a file that is not there before it stores anything', async () => {
    const directory = await temporaryFolder();
    const file = await sampleFile(1);
    expect(await runFaultline(['import', file, `${file}.gone`, '--data', directory])).toMatchObject({
      code: 2,
      stdout: '',
    });
    expect(await rawLines(directory)).toEqual([]);
  });
});

describe('faultline fingerprint', () => {
  it('answers one line for each payload in order, also for what is none', async () => {
    const input = [
      JSON.stringify(kindOfFailure(1, { request_id: 'a' })),
      'nonsense',
      JSON.stringify({ error_name: 'X', message: 'm' }),
      JSON.stringify(kindOfFailure(1, { request_id: 'b' })),
    ].join('\n');
    const done = await runFaultline(['fingerprint'], { input });
    const lines = done.stdout
      .trim()
      .split('\n')
      .map((line): Record<string, unknown> => JSON.parse(line));
    expect(done.code).toBe(1);
    expect(lines).toHaveLength(4);
    expect(lines[0]).toMatchObject({
      fingerprint: expect.stringMatching(/^[0-9a-f]{32}$/),
      version: 2,
      title: expect.any(String),
      basis: { version: 2 },
    });
    expect(lines[1]).toEqual({ error: expect.stringContaining('line 2') });
    expect(lines[2]?.['fingerprint']).not.toBe(lines[0]?.['fingerprint']);
    expect(lines[3]?.['fingerprint']).toBe(lines[0]?.['fingerprint']);
  });
});
