import { appendFile, readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { endLeftProcesses, type Finished, runFaultline, startCollector, stop } from '../helpers/faultline-process.js';
import { serverPayload } from '../helpers/payloads.js';
import { endLeftTerminals, openPseudoTerminal } from '../helpers/pseudo-terminal.js';
import { removeTemporaryFolders, temporaryFolder } from '../helpers/temporary-folder.js';
import { waitFor } from '../helpers/wait-for.js';

afterAll(async () => {
  endLeftTerminals();
  endLeftProcesses();
  await removeTemporaryFolders();
});

type Records = { code: string; receiver: string; field: string; payload?: { request_id?: string }; text?: string }[];

const records = ({ stdout }: Finished): Records =>
  stdout
    .split('\n')
    .filter((line) => line !== '')
    .map((line): Records[number] => JSON.parse(line));

/** A folder into which an import has rejected a line of each kind. */
async function importedFolder(): Promise<string> {
  const directory = await temporaryFolder();
  const lines = [
    JSON.stringify(serverPayload()),
    JSON.stringify({ ...serverPayload(), message: 5, request_id: 'r-1' }),
    '{"half": "\u202e\u009b2J',
    JSON.stringify({ ...serverPayload(), route: 7, request_id: 'r-2' }),
  ];
  const done = await runFaultline(['import', '-', '--id', 'march', '--data', directory], { input: lines.join('\n') });
  expect(done).toMatchObject({ code: 1, stdout: '1 stored, 3 rejected\n' });
  return directory;
}

describe('faultline rejected', () => {
  it('prints into a pipe what an import rejected, newest first, as it stands in the file', async () => {
    const directory = await importedFolder();
    const done = await runFaultline(['rejected', '--data', directory]);
    expect(done).toMatchObject({ code: 0, stderr: '' });
    expect(records(done)).toMatchObject([
      { receiver: 'import', code: 'EVENT_INVALID', field: '/route', payload: { request_id: 'r-2' } },
      { receiver: 'import', code: 'MALFORMED_JSON', field: '', text: '{"half": "\u202e\u009b2J' },
      { receiver: 'import', code: 'EVENT_INVALID', field: '/message', payload: { request_id: 'r-1' } },
    ]);
  });

  it('does not hold a line twice when its import is repeated', async () => {
    const directory = await temporaryFolder();
    const input = `${JSON.stringify(serverPayload())}\n{"half"\n`;
    for (let run = 0; run < 2; run += 1) {
      await runFaultline(['import', '-', '--id', 'march', '--data', directory], { input });
    }
    expect(records(await runFaultline(['rejected', '--data', directory]))).toHaveLength(1);
  });

  it('chooses by code, receiver and time, and at most so many', async () => {
    const directory = await importedFolder();
    const count = async (...args: string[]): Promise<number> =>
      records(await runFaultline(['rejected', '--data', directory, ...args])).length;
    expect(await count('--code', 'EVENT_INVALID')).toBe(2);
    expect(await count('--receiver', 'import')).toBe(3);
    expect(await count('--receiver', 'events')).toBe(0);
    expect(await count('--since', '1h')).toBe(3);
    const limited = await runFaultline(['rejected', '--data', directory, '--limit', '1']);
    expect(records(limited)).toMatchObject([{ field: '/route' }]);
    expect(limited.stderr).toContain('--limit');
  });

  it('shows a table on a terminal in which nothing is obeyed', async () => {
    const directory = await importedFolder();
    const terminal = openPseudoTerminal(['rejected', '--data', directory]);
    await terminal.see('MALFORMED_JSON');
    await terminal.see(/ import +EVENT_INVALID +\/route +must be string +\{/);
    const rows = terminal.rows();
    expect(rows[0]).toMatch(/^TIME \(UTC\) +RECEIVER +CODE +FIELD +REASON +PAYLOAD$/);
    expect(rows.join('')).not.toMatch(/[\u202e\u009b]/);
  });

  it('gives back what was rejected, so that it can be mended and sent again, beside a running collector', async () => {
    const directory = await temporaryFolder();
    const collector = await startCollector(directory);
    const send = async (body: string): Promise<{ accepted: number }> => {
      const headers = { 'content-type': 'application/x-ndjson' };
      return await (await fetch(`${collector.ingestUrl}/v1/events`, { method: 'POST', headers, body })).json();
    };
    await send(`${JSON.stringify({ ...serverPayload(), route: null })}\nnonsense\n`);
    const found = await waitFor('both records', async () => {
      const done = records(await runFaultline(['rejected', '--json', '--data', directory]));
      return done.length === 2 && done;
    });
    const mended = found.flatMap(({ payload }) => (payload === undefined ? [] : [{ ...payload, route: '/' }]));
    expect(await send(mended.map((payload) => JSON.stringify(payload)).join('\n'))).toMatchObject({ accepted: 1 });
    await stop(collector);
  });

  it('passes over damaged lines and counts them on standard error', async () => {
    const directory = await importedFolder();
    const names = await readdir(join(directory, 'rejected'), { recursive: true });
    const [name = ''] = names.filter((one) => one.endsWith('rejected.ndjson'));
    await appendFile(join(directory, 'rejected', name), 'damage\n\u0000\nhalf a line');
    const done = await runFaultline(['rejected', '--data', directory]);
    expect(records(done)).toHaveLength(3);
    expect(done).toMatchObject({ code: 0, stderr: 'Damaged lines skipped: 2.\n' });
  });

  it('says that there is nothing, and that there is not a folder', async () => {
    const directory = await temporaryFolder();
    const empty = await runFaultline(['rejected', '--data', directory]);
    expect(empty).toMatchObject({ code: 0, stdout: '' });
    expect(empty.stderr).toContain('No rejected payload');
    await rm(directory, { recursive: true });
    const gone = await runFaultline(['rejected', '--data', directory]);
    expect(gone).toMatchObject({ code: 1, stdout: '' });
    expect(gone.stderr).toContain(`${directory} is not a folder`);
  });

  it.each([
    ['--limit', '0'],
    ['--limit', 'x'],
    ['--since', '1d'],
    ['--since', ''],
  ])('is called wrongly with %s %j', async (name, value) => {
    const done = await runFaultline(['rejected', `${name}=${value}`, '--data', '.']);
    expect(done).toMatchObject({ code: 2, stdout: '' });
    expect(done.stderr).toContain(name);
  });
});
