/** `faultline demo --fleet` with real NATS servers. */
import { execFileSync } from 'node:child_process';
import { readdir } from 'node:fs/promises';
import { delimiter, dirname } from 'node:path';
import { killLeftoverProcesses, runFaultline, startFaultline, stop } from '../../helpers/faultline-process.js';
import { NATS_SERVER } from '../../helpers/nats/nats-servers.js';
import { removeTemporaryFolders, temporaryFolder } from '../../helpers/temporary-folder.js';
import { waitFor } from '../../helpers/wait-for.js';

const PAST_EVENTS = 400;
const isPossible = NATS_SERVER !== undefined;

/** Processes whose command names a folder. */
function processesOf(folder: string): string[] {
  const all = execFileSync('ps', ['-eo', 'pid,args'], { encoding: 'utf8' }).split('\n');
  return all.filter((line) => line.includes(folder));
}

/** Starts the demo with its folder below another one. */
function startDemo(folder: string) {
  const path = [dirname(NATS_SERVER ?? ''), process.env['PATH']].join(delimiter);
  return startFaultline(['demo', '--fleet', '--events', String(PAST_EVENTS)], { env: { PATH: path, TMPDIR: folder } });
}

afterAll(async () => {
  killLeftoverProcesses();
  await removeTemporaryFolders();
});

(isPossible ? describe : describe.skip)('a fleet on one machine', () => {
  it('shows what all sidecars stored at the first gateway, and ends with its servers and its folder', async () => {
    const folder = await temporaryFolder();
    const demo = startDemo(folder);
    const url = await waitFor('the fleet', () => {
      if (demo.child.exitCode !== null) throw new Error(demo.output.stderr);
      return /demo collector at (\S+);/.exec(demo.output.stdout)?.[1];
    });
    expect(processesOf(folder)).toHaveLength(3);
    const get = async (path: string) => await (await fetch(`${url}/api/v1${path}`)).json();
    await waitFor('the events of the past', async () => {
      const { issues } = await get('/issues?limit=500');
      const counts: number[] = issues.map(({ count }: { count: number }) => count);
      return counts.reduce((sum, count) => sum + count, 0) >= PAST_EVENTS;
    });
    expect((await get('/stats')).peers).toEqual([expect.objectContaining({ state: 'connected' })]);
    // Each gateway has a part of them.
    const own = await fetch(`${url}/api/v1/issues/counts`, { headers: { 'faultline-scope': 'local' } });
    expect((await own.json()).all).toBeLessThan((await get('/issues/counts')).all);

    expect(await stop(demo, 'SIGINT')).toMatchObject({ code: 0, stderr: '' });
    expect(processesOf(folder)).toEqual([]);
    expect(await readdir(folder)).toEqual([]);
  });

  it('leaves nothing behind if it is interrupted while it starts', async () => {
    const folder = await temporaryFolder();
    const demo = startDemo(folder);
    await waitFor('the first server', () => processesOf(folder).length > 0, 60_000);
    expect(await stop(demo, 'SIGTERM')).toMatchObject({ code: 130 });
    expect(processesOf(folder)).toEqual([]);
    expect(await readdir(folder)).toEqual([]);
  });
});

it('a fleet without nats-server on the PATH says how to get it', async () => {
  const folder = await temporaryFolder();
  const { code, stdout, stderr } = await runFaultline(['demo', '--fleet'], { env: { PATH: folder, TMPDIR: folder } });
  expect([code, stdout]).toEqual([1, '']);
  expect(stderr).toMatch(/^nats-server is not on the PATH; .*go install .*\n$/);
  expect(await readdir(folder)).toEqual([]);
});
