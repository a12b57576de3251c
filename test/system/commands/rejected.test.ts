import { appendFile, readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import {
  type Finished,
  killLeftoverProcesses,
  runFaultline,
  startCollector,
  stop,
} from '../../helpers/faultline-process.js';
import { serverPayload } from '../../helpers/payloads.js';
import { killLeftoverTerminals, openPseudoTerminal } from '../../helpers/pseudo-terminal.js';
import { removeTemporaryFolders, temporaryFolder } from '../../helpers/temporary-folder.js';
import { waitFor } from '../../helpers/wait-for.js';

afterAll(async () => {
  killLeftoverTerminals();
  killLeftoverProcesses();
  await removeTemporaryFolders();
});

type DeadLetters = {
  code: string;
  receiver: string;
  field: string;
  payload?: { request_id?: string };
  text?: string;
}[];

const deadLetters = ({ stdout }: Finished): DeadLetters =>
  stdout
    .split('\n')
    .filter((line) => line !== '')
    .map((line): DeadLetters[number] => JSON.parse(line));

/** Returns a folder in which an import stored one payload and rejected three. */
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
  it('prints the payloads that an import rejected to a pipe, newest first and unchanged', async () => {
    const directory = await importedFolder();
    const done = await runFaultline(['rejected', '--data', directory]);
    expect(done).toMatchObject({ code: 0, stderr: '' });
    expect(deadLetters(done)).toMatchObject([
      { receiver: 'import', code: 'EVENT_INVALID', field: '/route', payload: { request_id: 'r-2' } },
      { receiver: 'import', code: 'MALFORMED_JSON', field: '', text: '{"half": "\u202e\u009b2J' },
      { receiver: 'import', code: 'EVENT_INVALID', field: '/message', payload: { request_id: 'r-1' } },
    ]);
  });

  it('has a payload once when its import is repeated', async () => {
    const directory = await temporaryFolder();
    const input = `${JSON.stringify(serverPayload())}\n{"half"\n`;
    for (let run = 0; run < 2; run += 1) {
      await runFaultline(['import', '-', '--id', 'march', '--data', directory], { input });
    }
    expect(deadLetters(await runFaultline(['rejected', '--data', directory]))).toHaveLength(1);
  });

  it('filters by code, receiver and time, up to a limit', async () => {
    const directory = await importedFolder();
    const count = async (...args: string[]): Promise<number> =>
      deadLetters(await runFaultline(['rejected', '--data', directory, ...args])).length;
    expect(await count('--code', 'EVENT_INVALID')).toBe(2);
    expect(await count('--receiver', 'import')).toBe(3);
    expect(await count('--receiver', 'events')).toBe(0);
    expect(await count('--since', '1h')).toBe(3);
    const limited = await runFaultline(['rejected', '--data', directory, '--limit', '1']);
    expect(deadLetters(limited)).toMatchObject([{ field: '/route' }]);
    expect(limited.stderr).toContain('--limit');
  });

  it('prints a table on a terminal without the control characters of payloads', async () => {
    const directory = await importedFolder();
    const terminal = openPseudoTerminal(['rejected', '--data', directory]);
    await terminal.see('MALFORMED_JSON');
    await terminal.see(/ import +EVENT_INVALID +\/route +must be string +\{/);
    const rows = terminal.rows();
    expect(rows[0]).toMatch(/^TIME \(UTC\) +RECEIVER +CODE +FIELD +REASON +PAYLOAD$/);
    expect(rows.join('')).not.toMatch(/[\u202e\u009b]/);
  });

  it('prints payloads that can be corrected and sent again, while a collector runs', async () => {
    const directory = await temporaryFolder();
    const collector = await startCollector(directory);
    const send = async (body: string): Promise<{ accepted: number }> => {
      const headers = { 'content-type': 'application/x-ndjson' };
      return await (await fetch(`${collector.ingestUrl}/v1/events`, { method: 'POST', headers, body })).json();
    };
    await send(`${JSON.stringify({ ...serverPayload(), route: null })}\nnonsense\n`);
    const rejected = await waitFor('both dead letters', async () => {
      const letters = deadLetters(await runFaultline(['rejected', '--json', '--data', directory]));
      return letters.length === 2 && letters;
    });
    const corrected = rejected.flatMap(({ payload }) => (payload === undefined ? [] : [{ ...payload, route: '/' }]));
    expect(await send(corrected.map((payload) => JSON.stringify(payload)).join('\n'))).toMatchObject({ accepted: 1 });
    await stop(collector);
  });

  it('skips damaged lines and prints their count to standard error', async () => {
    const directory = await importedFolder();
    const names = await readdir(join(directory, 'rejected'), { recursive: true });
    const [name = ''] = names.filter((one) => one.endsWith('rejected.ndjson'));
    await appendFile(join(directory, 'rejected', name), 'damage\n\u0000\nhalf a line');
    const done = await runFaultline(['rejected', '--data', directory]);
    expect(deadLetters(done)).toHaveLength(3);
    expect(done).toMatchObject({ code: 0, stderr: '2 damaged lines were skipped.\n' });
  });

  it('reports an empty folder, and fails for a missing one', async () => {
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
    ['--since', 'soon'],
    ['--since', ''],
  ])('rejects %s %j', async (name, value) => {
    const done = await runFaultline(['rejected', `${name}=${value}`, '--data', '.']);
    expect(done).toMatchObject({ code: 2, stdout: '' });
    expect(done.stderr).toContain(name);
  });
});
