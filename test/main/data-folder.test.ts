import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { killLeftoverProcesses, runFaultline } from '../helpers/faultline-process.js';
import { kindOfFailure } from '../helpers/payloads.js';
import { removeTemporaryFolders, temporaryFolder } from '../helpers/temporary-folder.js';

afterAll(async () => {
  killLeftoverProcesses();
  await removeTemporaryFolders();
});

it('a data folder is filled by import, searched, verified, rebuilt and exported without a collector', async () => {
  const directory = await temporaryFolder();
  const on = async (args: readonly string[], input?: string) =>
    await runFaultline([...args, '--data', directory], { ...(input !== undefined && { input }) });
  const payloads = [kindOfFailure(1), kindOfFailure(1, { env: 'staging' }), kindOfFailure(2)];
  const input = [...payloads.map((payload) => JSON.stringify(payload)), '{"half"'].join('\n');

  const imported = await on(['import', '-', '--id', 'march'], input);
  expect(imported).toMatchObject({ code: 1, stdout: '3 stored, 1 rejected\n' });
  expect(imported.stderr).toMatch(/^-:4: the line is not JSON/);
  expect(await on(['import', '-', '--id', 'march'], input)).toMatchObject({
    stdout: '0 stored, 3 already there, 1 rejected\n',
  });
  expect(JSON.parse((await on(['rejected'])).stdout)).toMatchObject({ code: 'MALFORMED_JSON', text: '{"half"' });
  const found = await on(['issues', '--json', '--query', 'env:staging']);
  expect(JSON.parse(found.stdout)).toMatchObject({ total: 1, issues: [{ error_name: 'FailureBError' }] });

  expect(await on(['verify'])).toMatchObject({ code: 0, stdout: 'No damage: 3 events in 2 partitions.\n' });
  expect(await on(['rebuild'])).toMatchObject({ code: 0, stdout: expect.stringMatching(/^3 events, 2 issues, /) });
  const exported = (await on(['export'])).stdout.trimEnd().split('\n');
  expect(exported.map((line) => JSON.parse(line))).toEqual(
    expect.arrayContaining(payloads.map((payload) => expect.objectContaining(payload))),
  );

  const names = await readdir(directory, { recursive: true });
  const raw = join(directory, names.find((name) => name.endsWith('raw.ndjson')) ?? '');
  await writeFile(raw, (await readFile(raw, 'utf8')).replace('answer', 'anrwer'));
  expect(await on(['verify'])).toMatchObject({ code: 1, stdout: expect.stringContaining('RAW_LINE_DAMAGED') });
});
