import { execFile } from 'node:child_process';
import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { post, type ResponseBody } from '../collector/post.js';
import {
  collectArguments,
  killLeftoverProcesses,
  runFaultline,
  startCollector,
  stop,
} from '../helpers/faultline-process.js';
import { kindOfFailure } from '../helpers/payloads.js';
import { removeTemporaryFolders, temporaryFolder } from '../helpers/temporary-folder.js';

const run = promisify(execFile);
const mounted: string[] = [];

/** Mounts a small file system in memory; returns undefined without the right to. */
async function mountSmall(kibibytes: number): Promise<string | undefined> {
  const folder = await temporaryFolder();
  try {
    await run('mount', ['-t', 'tmpfs', '-o', `size=${kibibytes}k`, 'faultline-test', folder]);
  } catch (error) {
    console.warn(`SKIPPED: a small file system cannot be mounted here: ${String(error)}`);
    return undefined;
  }
  mounted.push(folder);
  return folder;
}

afterEach(async () => {
  killLeftoverProcesses();
  for (const folder of mounted.splice(0)) await run('umount', ['-l', folder]);
});
afterAll(removeTemporaryFolders);

const FILLER_KIB = 1024;

/** Fills a file system with a file and returns its path. */
async function fill(folder: string, name = 'rest'): Promise<string> {
  const file = join(folder, name);
  await run('dd', ['if=/dev/zero', `of=${file}`, 'bs=1k', 'status=none']).catch(() => undefined);
  return file;
}

function batch(name: string): { ids: string[]; body: string } {
  const ids = Array.from({ length: 20 }, (_, index) => `${name}-${index}`);
  const events = ids.map((id, index) =>
    kindOfFailure(index % 5, { request_id: id, message: `no room ${'x'.repeat(800)}` }),
  );
  return { ids, body: JSON.stringify(events) };
}

async function get(url: string): Promise<{ status: number; body: Record<string, unknown> }> {
  const response = await fetch(url);
  const body: unknown = await response.json();
  return { status: response.status, body: { ...Object(body) } };
}

/** Returns the request ids of all stored events, through the query API. */
async function idsIn(api: string): Promise<string[]> {
  const ids: string[] = [];
  const { body } = await get(`${api}/issues?limit=500`);
  for (const { issue_id: issueId } of body['issues'] as { issue_id: string }[]) {
    for (let cursor: unknown = ''; cursor !== null; ) {
      const page = await get(`${api}/issues/${issueId}/events?limit=500${cursor === '' ? '' : `&cursor=${cursor}`}`);
      ids.push(...(page.body['events'] as { request_id: string }[]).map(({ request_id }) => request_id));
      cursor = page.body['next_cursor'];
    }
  }
  return ids;
}

describe('a collector on a file system that fills up', () => {
  it('responds 503, still serves reads, accepts events again when there is space, and has acknowledged events once', async () => {
    const disk = await mountSmall(2 * FILLER_KIB);
    if (disk === undefined) return;
    const filler = join(disk, 'filler');
    await writeFile(filler, Buffer.alloc(FILLER_KIB * 1024));
    const directory = join(disk, 'data');
    const collector = await startCollector(directory);
    const [events, api] = [`${collector.ingestUrl}/v1/events`, `${collector.queryUrl}/api/v1`];
    const accepted = new Map<string, string>();
    let received = 0;
    const send = async (name: string): Promise<{ status: number; body: ResponseBody; retryAfter: string | null }> => {
      const { ids, body } = batch(name);
      received += ids.length;
      const response = await post(events, body);
      for (const { index, event_id } of response.body.events ?? []) accepted.set(ids[index] ?? '', event_id);
      return { status: response.status, body: response.body, retryAfter: response.headers.get('retry-after') };
    };

    let last = await send('0');
    for (let round = 1; last.status === 200; round += 1) last = await send(String(round));
    expect(last).toMatchObject({ status: 503, retryAfter: '1', body: { code: 'STORE_UNAVAILABLE' } });
    expect(last.body.detail).toContain('ENOSPC');
    for (let round = 0; round < 5; round += 1) expect((await send(`full-${round}`)).status).toBe(503);

    expect(await get(`${api}/issues`)).toMatchObject({ status: 200, body: { total: 5 } });
    expect((await idsIn(api)).toSorted()).toEqual([...accepted.keys()].toSorted());
    const [requestId, eventId] = [...accepted][0] ?? [];
    expect(await get(`${api}/events/${eventId}`)).toMatchObject({
      status: 200,
      body: { raw: { payload: { request_id: requestId } } },
    });
    const full = (await get(`${api}/stats`)).body['receivers'];
    const refused = received - accepted.size;
    expect(full).toMatchObject({ events: { received, stored: accepted.size, refused } });

    await rm(filler);
    expect(await send('room')).toMatchObject({ status: 200, body: { accepted: 20 } });
    expect(await send('room again')).toMatchObject({ status: 200, body: { accepted: 20 } });
    expect(await stop(collector)).toMatchObject({ code: 0, signal: null });

    const again = await startCollector(directory);
    expect((await idsIn(`${again.queryUrl}/api/v1`)).toSorted()).toEqual([...accepted.keys()].toSorted());
    for (const [id, storedId] of [...accepted].filter((_, number) => number % 50 === 0)) {
      expect(await get(`${again.queryUrl}/api/v1/events/${storedId}`)).toMatchObject({
        body: { raw: { payload: { request_id: id } } },
      });
    }
    expect(await stop(again)).toMatchObject({ code: 0 });
  });

  it('exits with 0 on SIGTERM even while the disk is full, and starts again when there is space', async () => {
    const disk = await mountSmall(2 * FILLER_KIB);
    if (disk === undefined) return;
    const directory = join(disk, 'data');
    const collector = await startCollector(directory);
    const accepted = await post(`${collector.ingestUrl}/v1/events`, batch('before').body);
    expect(accepted.status).toBe(200);
    const fillers = [await fill(disk)];
    expect((await post(`${collector.ingestUrl}/v1/events`, batch('full').body)).status).toBe(503);
    expect(await stop(collector)).toMatchObject({ code: 0, signal: null });

    // The released lock freed some space.
    fillers.push(await fill(disk, 'rest of the rest'));
    const full = await runFaultline(collectArguments(directory));
    expect(full.code).toBe(1);
    expect(full.stderr).toContain(directory);
    expect(full.stderr).toContain('ENOSPC');

    for (const file of fillers) await rm(file);
    const again = await startCollector(directory);
    expect((await idsIn(`${again.queryUrl}/api/v1`)).toSorted()).toEqual(batch('before').ids.toSorted());
    expect(await stop(again)).toMatchObject({ code: 0 });
  });

  it('does not start on a read-only file system and reports folder and cause, but reading commands work', async () => {
    const disk = await mountSmall(2 * FILLER_KIB);
    if (disk === undefined) return;
    const directory = join(disk, 'data');
    const collector = await startCollector(directory);
    const { body } = await post(`${collector.ingestUrl}/v1/events`, batch('kept').body);
    await stop(collector);
    await run('mount', ['-o', 'remount,ro', disk]);

    const refused = await runFaultline(collectArguments(directory));
    expect(refused.code).toBe(1);
    expect(refused.stderr).toContain(directory);
    expect(refused.stderr).toContain('is on a read-only file system');
    const read = await runFaultline(['event', body.events?.[0]?.event_id ?? '', '--data', directory, '--json']);
    expect(read.code).toBe(0);
    expect(JSON.parse(read.stdout)).toMatchObject({ raw: { payload: { request_id: 'kept-0' } } });
  });

  it('accepts events at once when the file system grows', async () => {
    const disk = await mountSmall(512);
    if (disk === undefined) return;
    const collector = await startCollector(join(disk, 'data'));
    await fill(disk);
    const url = `${collector.ingestUrl}/v1/events`;
    expect((await post(url, batch('full').body)).status).toBe(503);
    await run('mount', ['-o', 'remount,size=2048k', disk]);
    expect((await post(url, batch('grown').body)).status).toBe(200);
    expect(await stop(collector)).toMatchObject({ code: 0 });
  });
});
