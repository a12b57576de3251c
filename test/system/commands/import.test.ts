import { appendFile, readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { killLeftoverProcesses, runFaultline, startFaultline, stop } from '../../helpers/faultline-process.js';
import { kindOfFailure } from '../../helpers/payloads.js';
import { storedPayloads } from '../../helpers/stored-payloads.js';
import { removeTemporaryFolders, temporaryFolder } from '../../helpers/temporary-folder.js';
import { waitFor } from '../../helpers/wait-for.js';

afterAll(async () => {
  killLeftoverProcesses();
  await removeTemporaryFolders();
});

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
  it('stores every payload once, also when it is repeated with the same id', async () => {
    const directory = await temporaryFolder();
    const file = await sampleFile(1700);
    expect(await runFaultline(['import', file, '--id', 'march', '--data', directory])).toMatchObject({
      code: 0,
      stdout: '1700 stored, 0 rejected\n',
      stderr: '',
    });
    const again = await runFaultline(['import', file, '--id', 'march', '--data', directory]);
    expect(again).toMatchObject({ code: 0, stdout: '0 stored, 1700 already there, 0 rejected\n' });
    expect(await storedPayloads(directory)).toHaveLength(1700);
  });

  it('keeps the weight of exported events', async () => {
    const file = join(await temporaryFolder(), 'failures.ndjson');
    const payload = kindOfFailure(1, { extra: { faultline: { sampled: 41 } } });
    // The first payload is complete, the second has defaults added.
    await writeFile(file, `${JSON.stringify(payload)}\n${JSON.stringify({ ...payload, host: 'web-1' })}\n`);
    const directories = [await temporaryFolder(), await temporaryFolder()] as const;
    const exported = join(await temporaryFolder(), 'exported.ndjson');
    for (const [index, directory] of directories.entries()) {
      await runFaultline(['import', index === 0 ? file : exported, '--data', directory]);
      const { stdout } = await runFaultline(['issues', '--json', '--data', directory]);
      expect(JSON.parse(stdout)).toMatchObject({ issues: [{ count: 84, sampled: 82 }] });
      await writeFile(exported, (await runFaultline(['export', '--data', directory])).stdout);
    }
    expect(await storedPayloads(directories[1])).toHaveLength(2);
  });

  it('stores only the rest of a batch that recovery kept in part', async () => {
    const directory = await temporaryFolder();
    const file = await sampleFile(500);
    const other = join(await temporaryFolder(), 'other.ndjson');
    await writeFile(other, `${JSON.stringify(kindOfFailure(1, { env: 'production', request_id: 'other' }))}\n`);
    await runFaultline(['import', other, '--id', 'other', '--data', directory]);
    // Lines without a commit record, as after a crash.
    const [raw = ''] = (await readdir(join(directory, 'raw'), { recursive: true })).filter((name) =>
      name.endsWith('raw.ndjson'),
    );
    const lines = (await readFile(file, 'utf8')).split('\n').filter((line) => line.includes('"production"'));
    await appendFile(join(directory, 'raw', raw), `${lines.slice(0, 40).join('\n')}\n`);
    for (const counts of ['460 stored, 40 already there', '0 stored, 500 already there']) {
      const { stdout } = await runFaultline(['import', file, '--id', 'march', '--data', directory]);
      expect(stdout).toBe(`${counts}, 0 rejected\n`);
    }
    expect(await storedPayloads(directory)).toHaveLength(501);
  });

  it('continues where it was killed, and stores every payload exactly once', async () => {
    const file = await sampleFile(20_000);
    const directory = await temporaryFolder();
    for (const count of [500, 4000, 9000]) {
      const run = startFaultline(['import', file, '--id', 'march', '--data', directory]);
      await waitFor(
        'some events to be stored',
        async () => run.child.exitCode !== null || (await storedPayloads(directory)).length > count,
      );
      await stop(run, 'SIGKILL');
    }
    expect((await runFaultline(['import', file, '--id', 'march', '--data', directory])).code).toBe(0);
    const ids = (await storedPayloads(directory)).map((payload) => payload['request_id']);
    expect(ids).toHaveLength(20_000);
    expect(new Set(ids).size).toBe(20_000);
  });

  it('reports file, line and field of invalid payloads, and stores the others', async () => {
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

  it('rejects a missing file before it stores anything', async () => {
    const directory = await temporaryFolder();
    const file = await sampleFile(1);
    expect(await runFaultline(['import', file, `${file}.gone`, '--data', directory])).toMatchObject({
      code: 2,
      stdout: '',
    });
    expect(await storedPayloads(directory)).toEqual([]);
  });
});

describe('faultline fingerprint', () => {
  it('prints one line for each input line in order, also for invalid payloads', async () => {
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
      version: 4,
      title: expect.any(String),
      basis: { version: 4 },
    });
    expect(lines[1]).toEqual({ error: expect.stringContaining('line 2') });
    expect(lines[2]?.['fingerprint']).not.toBe(lines[0]?.['fingerprint']);
    expect(lines[3]?.['fingerprint']).toBe(lines[0]?.['fingerprint']);
  });
});
