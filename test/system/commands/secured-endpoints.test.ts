import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { IssuePage } from '../../../generated/reader-answers.js';
import { tlsFile } from '../../collector/http/tls-connection.js';
import { type RunningService, settingsFor, startService } from '../../collector/running-service.js';
import { runFaultline } from '../../helpers/faultline-process.js';
import { serverPayload } from '../../helpers/payloads.js';
import { killLeftoverTerminals, openPseudoTerminal } from '../../helpers/pseudo-terminal.js';
import { removeTemporaryFolders, temporaryFolder } from '../../helpers/temporary-folder.js';

const SENDING = 'token-for-sending-events';
const READING = 'token-for-reading-them';
const ACTING = 'token-for-acting-on-issues';

let running: RunningService | undefined;
afterEach(async () => {
  await running?.service.shutdown();
  running = undefined;
});
afterAll(async () => {
  killLeftoverTerminals();
  await removeTemporaryFolders();
});

async function start(...sets: string[]): Promise<{ origin: string; query: string }> {
  running = await startService(settingsFor(await temporaryFolder(), ...sets));
  const { receivers, extensions } = running.service.describe();
  const [events = ''] = receivers.map(({ url }) => url);
  return { origin: new URL(events).origin, query: extensions[0]?.url ?? '' };
}

function startWithTokens(): ReturnType<typeof start> {
  return start(
    `extensions.bearertokenauth/sending.token=${SENDING}`,
    `extensions.bearertokenauth/reading.token=${READING}`,
    `extensions.bearertokenauth/acting.token=${ACTING}`,
    'service.extensions=[query, bearertokenauth/sending, bearertokenauth/reading, bearertokenauth/acting]',
    'receivers.events.auth.authenticator=bearertokenauth/sending',
    'extensions.query.auth.authenticator=bearertokenauth/reading',
    'extensions.query.actions_auth.authenticator=bearertokenauth/acting',
  );
}

async function sendOne(origin: string): Promise<string> {
  const response = await fetch(`${origin}/v1/events`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: `Bearer ${SENDING}` },
    body: JSON.stringify(serverPayload()),
  });
  const { events } = (await response.json()) as { events: { issue_id: string }[] };
  return events[0]?.issue_id ?? '';
}

async function fileWith(token: string): Promise<string> {
  const file = join(await temporaryFolder(), 'token');
  await writeFile(file, `${token}\n`);
  return file;
}

async function issuesAt(query: string): Promise<IssuePage['issues']> {
  const response = await fetch(`${query}/api/v1/issues`, { headers: { authorization: `Bearer ${READING}` } });
  return ((await response.json()) as IssuePage).issues;
}

describe('faultline run with a collector that needs a token', () => {
  const program = ['--', 'sh', '-c', 'echo "Error: the till is closed" >&2; exit 3'];

  it('sends the token of FAULTLINE_INGEST_TOKEN', async () => {
    const { origin, query } = await startWithTokens();
    const env = { FAULTLINE_INGEST_TOKEN: ` ${SENDING}\n` };
    const done = await runFaultline(['run', '--url', origin, ...program], { env });
    expect(done).toMatchObject({ code: 3, stderr: 'Error: the till is closed\n' });
    expect((await issuesAt(query)).length).toBeGreaterThan(0);
  });

  it('reports 401 for a wrong token without printing it', async () => {
    const { origin, query } = await startWithTokens();
    const env = { FAULTLINE_INGEST_TOKEN: READING };
    const { code, stderr } = await runFaultline(['run', '--url', origin, ...program], { env });
    expect(code).toBe(3);
    expect(stderr).toContain('responded with 401');
    expect(stderr).not.toContain(READING);
    expect(await issuesAt(query)).toEqual([]);
  });

  it('does not start the program with a token that is invalid in a header, and does not print it', async () => {
    const { origin } = await startWithTokens();
    const env = { FAULTLINE_INGEST_TOKEN: 'first-line-of-a-secret\nsecond-line-of-it' };
    const done = await runFaultline(['run', '--url', origin, ...program], { env });
    expect(done).toMatchObject({ code: 2, stdout: '', stderr: expect.stringMatching(/^faultline: FAULTLINE_INGEST_/) });
    expect(done.stderr).not.toMatch(/first-line|second-line|till/);
  });
});

describe('commands with a collector that needs tokens', () => {
  it('read with the token of FAULTLINE_TOKEN, and act with that of --token-file, which overrides it', async () => {
    const { origin, query } = await startWithTokens();
    const issue = await sendOne(origin);
    const env = { FAULTLINE_TOKEN: READING };
    expect(await runFaultline(['issues', '--url', query], { env: { FAULTLINE_TOKEN: '' } })).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('--token-file'),
    });
    expect(await runFaultline(['issues', '--url', query], { env })).toMatchObject({ code: 0, stderr: '' });
    const resolve = ['resolve', issue, '--url', query];
    const refused = await runFaultline(resolve, { env });
    expect(refused.code).not.toBe(0);
    expect(refused.stderr).toContain('actions_auth');
    expect((await issuesAt(query))[0]?.status).toBe('open');
    const done = await runFaultline([...resolve, '--token-file', await fileWith(ACTING)], { env });
    expect(done).toMatchObject({ code: 0, stderr: '' });
    expect((await issuesAt(query))[0]?.status).toBe('resolved');
  });

  it('regroup only with a token for actions', async () => {
    const { origin, query } = await startWithTokens();
    await sendOne(origin);
    const regroup = ['regroup', '--preview', '--url', query, '--token-file'];
    const refused = await runFaultline([...regroup, await fileWith(READING)]);
    expect(refused.code).not.toBe(0);
    expect(refused.stderr).toContain('actions_auth');
    expect(await runFaultline([...regroup, await fileWith(ACTING)])).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(/^1 event/),
    });
  });
});

describe('the terminal over https', () => {
  const tls = [
    `extensions.query.tls.cert_file=${tlsFile('server.pem')}`,
    `extensions.query.tls.key_file=${tlsFile('server-key.pem')}`,
  ];
  const trustedCa = { NODE_EXTRA_CA_CERTS: tlsFile('ca.pem') };

  it('lists issues if the certificate authority is trusted, and otherwise names NODE_EXTRA_CA_CERTS', async () => {
    const { origin, query } = await start(...tls);
    await sendOne(origin);
    expect(query).toMatch(/^https:/);
    const listed = await runFaultline(['issues', '--url', query], { env: trustedCa });
    expect(listed).toMatchObject({ code: 0, stdout: expect.stringContaining(serverPayload().error_name) });
    const refused = await runFaultline(['issues', '--url', query]);
    expect(refused).toMatchObject({ code: 1, stderr: expect.stringContaining('NODE_EXTRA_CA_CERTS') });
  });

  it('shows issues in faultline browse', async () => {
    const { origin, query } = await start(...tls);
    await sendOne(origin);
    const terminal = openPseudoTerminal(['browse', '--url', query], { env: trustedCa });
    await terminal.see(serverPayload().error_name);
    terminal.type('q');
    expect((await terminal.exit).exitCode).toBe(0);
  });
});
