import { Writable } from 'node:stream';
import yargs from 'yargs';
import { Fault } from '../../../core/event/fault.js';
import { createHttpReader } from '../../../core/http-reader/http-reader.js';
import { openActingFolder } from '../../../core/storage/acting-folder.js';
import type { IssueDetail } from '../../../generated/reader-answers.js';
import { addActingCommands } from '../../../tui/commands/acting-commands.js';
import { runEvents } from '../../../tui/commands/events.js';
import { runIssue } from '../../../tui/commands/issue.js';
import { runIssues } from '../../../tui/commands/issues.js';
import { openChosenSource } from '../../../tui/readers/open-sources.js';
import { post } from '../../collector/post.js';
import { type RunningService, settingsFor, startService } from '../../collector/running-service.js';
import { serverPayload } from '../../helpers/payloads.js';
import { removeTemporaryFolders, temporaryFolder } from '../../helpers/temporary-folder.js';

/** A stream that records its text. */
class Output extends Writable {
  text = '';

  override _write(chunk: unknown, _encoding: string, done: (error?: Error) => void): void {
    this.text += String(chunk);
    done();
  }
}

let running: RunningService;
let directory: string;
let queryUrl: string;

beforeAll(async () => {
  directory = await temporaryFolder();
  running = await startService(settingsFor(directory));
  queryUrl = running.apiUrl.replace('/api/v1', '');
});
afterAll(async () => {
  await running.service.shutdown();
  await removeTemporaryFolders();
});

let createdIssues = 0;

async function newIssue(changes: Parameters<typeof serverPayload>[0] = {}): Promise<string> {
  createdIssues += 1;
  const payload = serverPayload({ error_name: `Acted${createdIssues}Error`, stack: null, ...changes });
  const { body } = await post(running.eventsUrl, JSON.stringify(payload));
  return body.events?.[0]?.issue_id ?? '';
}

/** Runs a command line as `cli.ts` does. */
async function run(...args: string[]): Promise<{ code: number | undefined; out: string; err: string }> {
  const streams = { stdout: new Output(), stderr: new Output() };
  let code: number | undefined;
  const line = yargs(args)
    .parserConfiguration({ 'nargs-eats-options': true })
    .strict()
    .exitProcess(false)
    .fail((message, error) => {
      throw error ?? new Error(message);
    });
  const opening = {
    defaultUrl: queryUrl,
    defaultDirectory: '/nowhere',
    openFolder: (directory: string) => openActingFolder({ directory }),
  };
  addActingCommands(line, {
    streams: streams as never,
    defaultUrl: queryUrl,
    defaultDirectory: '/nowhere',
    openReader: () => Promise.reject(new Error('openReader is not expected')),
    openStore: async (choice) => (await openChosenSource(choice, opening)).reader,
    openTerminalReader: () => Promise.reject(new Error('openTerminalReader is not expected')),
    done: (given) => {
      code = given;
    },
  });
  await line.parseAsync();
  return { code, out: streams.stdout.text, err: streams.stderr.text };
}

async function issueOf(id: string): Promise<IssueDetail> {
  return (await (await fetch(`${running.apiUrl}/issues/${id}`)).json()) as IssueDetail;
}

describe('acting commands', () => {
  it('work through the collector, with actor and reason', async () => {
    const id = await newIssue();
    const other = await newIssue();
    const steps: [string[], object][] = [
      [['resolve', id, '--in-next-release'], { status: 'resolved', resolved_in: 'next' }],
      [['resolve', id, '--in-release', 'v7'], { status: 'resolved', resolved_in: 'v7' }],
      [['reopen', id], { status: 'open' }],
      [['ignore', id, '--snooze', '50x'], { status: 'ignored', snooze: '50x' }],
      [['undo', id], { status: 'open' }],
      [['assign', id, 'anna'], { assignee: 'anna' }],
      [['assign', id, '--to', 'bea'], { assignee: 'bea' }],
      [['assign', id, '--nobody'], { assignee: null }],
      [['comment', id, 'it is the supplier'], { assignee: null }],
      [['merge', id, other.slice(0, 8)], { merged: [other] }],
      [['split', id, other.slice(0, 8)], { merged: [] }],
      [['merge', id, other], { merged: [other] }],
      [['split', id], { merged: [] }],
    ];
    for (const [args, expected] of steps) {
      const { code, out, err } = await run(...args, '--actor', 'carl', '--reason', 'why not', '--json');
      expect([code, err]).toEqual([0, '']);
      expect(JSON.parse(out)).toMatchObject({ issue_id: id, ...expected });
    }
    const { history } = await issueOf(id);
    expect(history).toHaveLength(steps.length);
    expect(new Set(history.map(({ actor, reason }) => `${actor}: ${reason}`))).toEqual(new Set(['carl: why not']));
    const undone = await run('undo', id, '--action', history[0]?.id ?? '');
    expect(undone.code).toBe(0);
    expect((await issueOf(id)).history[0]?.undone).toBe(true);
  });

  it('work on several issues, and report a failure without stopping the others', async () => {
    const [one, two] = [await newIssue(), await newIssue()];
    const missing = '0bd5e65c-2829-5c2d-aac6-88a4f91592cf';
    const { code, out, err } = await run('resolve', one.slice(0, 8), missing, 'nonsense', two.toUpperCase());
    expect(code).toBe(1);
    expect(out.split('\n')).toEqual([
      expect.stringMatching(new RegExp(`^${one.slice(0, 8)}  resolved  Acted\\d+Error: `)),
      expect.stringMatching(new RegExp(`^${two.slice(0, 8)}  resolved  Acted\\d+Error: `)),
      '',
    ]);
    expect(err).toMatch(new RegExp(`^${missing}: .*${missing}`));
    expect(err).toContain('nonsense: "nonsense" is not an issue id');
  });

  it('return 2 for an invalid call, and print the expected one', async () => {
    const id = await newIssue();
    expect(await run('ignore', id, '--snooze', 'soon')).toMatchObject({
      code: 2,
      out: '',
      err: expect.stringContaining('7d'),
    });
    expect(await run('assign', id)).toMatchObject({ code: 2, err: expect.stringContaining('--nobody') });
    expect((await run('comment', id, '')).code).toBe(2);
    await expect(run('resolve', id, '--in-next-release', '--in-release', 'v1')).rejects.toThrow('mutually exclusive');
    expect((await run('split', id)).code).toBe(1);
    expect((await issueOf(id)).history).toEqual([]);
  });

  it('write to a folder that no collector uses, and otherwise name its collector', async () => {
    const id = await newIssue();
    await expect(run('resolve', id, '--data', directory)).rejects.toMatchObject({
      code: 'STORE_LOCKED',
      message: expect.stringContaining(`--url ${queryUrl}`),
    });
    await expect(run('resolve', id, '--data', `${directory}/none`)).rejects.toMatchObject({ code: 'FOLDER_NOT_FOUND' });
    const other = await temporaryFolder();
    const service = await startService(settingsFor(other));
    const { body } = await post(service.eventsUrl, JSON.stringify(serverPayload()));
    await service.service.shutdown();
    const stored = body.events?.[0]?.issue_id ?? '';
    const { code, out } = await run('resolve', stored, '--data', other, '--json');
    expect([code, JSON.parse(out).status]).toEqual([0, 'resolved']);
    const again = await openActingFolder({ directory: other });
    expect((await again.listIssues()).issues[0]?.status).toBe('resolved');
    await again.close();
  });

  it('fail without a collector', async () => {
    const reader = createHttpReader({ url: 'http://127.0.0.1:9' });
    const refused = reader.act('0bd5e65c-2829-5c2d-aac6-88a4f91592cf' as never, { action: 'resolve' });
    await expect(refused).rejects.toMatchObject({ code: 'COLLECTOR_UNREACHABLE', retryable: true });
    await reader.close();
    const closed = reader.act('0bd5e65c-2829-5c2d-aac6-88a4f91592cf' as never, { action: 'resolve' });
    await expect(closed).rejects.toBeInstanceOf(Fault);
  });
});

describe('reading commands', () => {
  const outputs = (columns?: number) => {
    const stdout = new Output();
    const stderr = new Output();
    if (columns !== undefined) for (const one of [stdout, stderr]) Object.assign(one, { isTTY: true, columns });
    return { stdout, stderr };
  };

  it('print an issue with its state, history and the reason for its grouping', async () => {
    const id = await newIssue();
    await run('ignore', id, '--snooze', 'until:2027-01-31', '--actor', 'anna', '--reason', 'known');
    const reader = createHttpReader({ url: queryUrl });
    const to = outputs();
    const options = { reader, issueId: id.slice(0, 8), json: false, env: {} };
    expect(await runIssue({ ...options, ...to, format: 'table' })).toBe(0);
    for (const part of [`Issue ${id}`, 'ignored ', 'anna ignored it', 'known', 'One issue because of']) {
      expect(to.stdout.text).toContain(part);
    }
    const json = outputs();
    expect(await runIssue({ ...options, ...json, json: true })).toBe(0);
    expect(JSON.parse(json.stdout.text)).toEqual(await issueOf(id));
    const missing = outputs();
    expect(await runIssue({ ...options, ...missing, issueId: '00000000' })).toBe(1);
    expect(missing.stderr.text).toContain('No issue 00000000.');
    await reader.close();
  });

  it('show states in a table of 80 columns', async () => {
    const id = await newIssue({ error_name: 'ShownError', message: 'm'.repeat(200) });
    await run('resolve', id);
    const reader = createHttpReader({ url: queryUrl });
    const to = outputs(80);
    await runIssues({ reader, sort: 'last_seen', limit: 500, json: false, env: { NO_COLOR: '1' }, ...to });
    const lines = to.stdout.text.replace(/\u001b\[[0-9;]*m/g, '').split('\n');
    for (const line of lines) expect(line.length).toBeLessThanOrEqual(80);
    expect(lines.find((line) => line.startsWith(id.slice(0, 8)))).toContain(' resolved');
    await reader.close();
  });

  it('search the events of all issues, with progress on a terminal only', async () => {
    await newIssue({ user_id: 'u-all' });
    await newIssue({ user_id: 'u-all' });
    const reader = createHttpReader({ url: queryUrl });
    const to = outputs();
    const search = { reader, query: 'user_id:u-all', limit: 50, json: true, env: {} };
    expect(await runEvents({ ...search, ...to })).toBe(0);
    expect(JSON.parse(to.stdout.text).events.map((event: { user_id: string }) => event.user_id)).toEqual([
      'u-all',
      'u-all',
    ]);
    expect(to.stderr.text).toBe('');
    const watched = outputs(80);
    await runEvents({ ...search, ...watched, limit: 1 });
    expect(watched.stderr.text).toMatch(/searched |\u001b\[K/);
    expect(watched.stderr.text.endsWith('\r\u001b[K')).toBe(true);
    const wrong = outputs();
    expect(await runEvents({ ...search, ...wrong, query: 'a (' })).toBe(2);
    await reader.close();
  });
});
