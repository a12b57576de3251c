import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { createHttpReader } from '../../core/http-reader/http-reader.js';
import { openFolderReader } from '../../core/storage/folder-reader.js';
import type { Stats } from '../../generated/reader-answers.js';
import { type DeadLetter, deadLettersOf } from '../helpers/dead-letters.js';
import { serverPayload } from '../helpers/payloads.js';
import { removeTemporaryFolders, temporaryFolder } from '../helpers/temporary-folder.js';
import { waitFor } from '../helpers/wait-for.js';
import { post } from './post.js';
import { settingsFor, startService, stopServices } from './running-service.js';

afterEach(stopServices);
afterAll(removeTemporaryFolders);

const JSON_TYPE = { 'content-type': 'application/json' };
const NDJSON_TYPE = { 'content-type': 'application/x-ndjson' };

/** Starts a collector; `records` returns its dead letters, oldest first, once there are that many, because a response does not wait for a slow disk. */
async function start(...sets: string[]) {
  const directory = await temporaryFolder();
  const started = await startService(settingsFor(directory, ...sets));
  const read = async (): Promise<DeadLetter[]> => {
    return (await deadLettersOf(directory)).flatMap((record) => record ?? []).reverse();
  };
  const records = (count: number): Promise<DeadLetter[]> =>
    waitFor(`${count} records`, async () => {
      const found = await read();
      return found.length === count && found;
    });
  const stats = async (): Promise<Stats> => {
    const response = await fetch(`${started.apiUrl}/stats`);
    if (response.status !== 200) throw new Error(await response.text());
    return (await response.json()) as Stats;
  };
  return { ...started, directory, read, records, stats };
}

const good = JSON.stringify(serverPayload());
const bad = JSON.stringify({ ...serverPayload(), message: 5 });

describe('rejected payloads of a request', () => {
  it('are in the folder when the response arrives, each line with its reason', async () => {
    const { eventsUrl, records, directory } = await start();
    const notUtf8 = Buffer.from([0x22, 0xff, 0x22]);
    const lines = [good, bad, '{"half":', notUtf8, '', '"\\ud800"', good].map((line) => Buffer.from(line));
    const body = Buffer.concat(lines.flatMap((line) => [line, Buffer.from('\n')]));
    const response = await post(eventsUrl, body, NDJSON_TYPE);
    expect(response.status).toBe(200);
    expect(response.body.accepted).toBe(2);
    const found = await records(4);
    expect(found.map(({ code, field, reason }) => ({ code, field, reason }))).toEqual(
      response.body.rejected.map(({ code, field, reason }) => ({ code, field, reason })),
    );
    expect(found).toMatchObject([
      { receiver: 'events', code: 'EVENT_INVALID', field: '/message', content: { kind: 'payload' }, bytes: bad.length },
      { code: 'MALFORMED_JSON', content: { kind: 'text', value: '{"half":' } },
      { code: 'EVENT_INVALID', content: { kind: 'base64', value: notUtf8.toString('base64') } },
      { code: 'EVENT_INVALID', content: { kind: 'payload', value: '\ufffd' } },
    ]);
    const [year, month, day] = (found[0]?.rejectedAt ?? '').slice(0, 10).split('-');
    const file = await readFile(join(directory, `rejected/${year}/${month}/${day}/rejected.ndjson`), 'utf8');
    expect(file.split('\n')[0]?.endsWith(`"payload":${bad}}`)).toBe(true);
  });

  it('are kept even if nothing was valid, of one object and of an array', async () => {
    const { eventsUrl, records } = await start();
    expect((await post(eventsUrl, bad)).status).toBe(422);
    expect((await post(eventsUrl, `[${bad},null}`)).status).toBe(400);
    expect((await post(eventsUrl, `[${bad},\n  null]`)).status).toBe(422);
    expect((await records(4)).map(({ code, content }) => [code, content?.kind])).toEqual([
      ['EVENT_INVALID', 'payload'],
      ['MALFORMED_JSON', 'text'],
      ['EVENT_INVALID', 'payload'],
      ['EVENT_INVALID', 'payload'],
    ]);
  });

  it('include the start of a body that is not JSON, and its size', async () => {
    const { eventsUrl, records } = await start();
    const bodies = ['nonsense', '[1,2}', '{"a":1}\n{"b":2}', `[${'x'.repeat(300_000)}`];
    for (const body of bodies) expect((await post(eventsUrl, body)).status).toBe(400);
    expect(
      (await post(eventsUrl, gzipSync('nonsense, too'), { ...JSON_TYPE, 'content-encoding': 'gzip' })).status,
    ).toBe(400);
    const found = await records(5);
    expect(found.map(({ code, bytes, isCut }) => [code, bytes, isCut])).toEqual([
      ['MALFORMED_JSON', 8, false],
      ['MALFORMED_JSON', 5, false],
      ['MALFORMED_JSON', 15, false],
      ['MALFORMED_JSON', 300_001, true],
      ['MALFORMED_JSON', 13, false],
    ]);
    expect(found[2]?.content).toEqual({ kind: 'text', value: '{"a":1}\n{"b":2}' });
    expect(found[0]?.reason).toContain('not JSON');
  });

  it('include that an event was too large, and its start if that was buffered', async () => {
    const { eventsUrl, records } = await start('receivers.events.limits.max_event_size=1000000');
    const large = JSON.stringify({ ...serverPayload(), message: 'x'.repeat(2_000_000) });
    expect((await post(eventsUrl, `[${large}]`)).status).toBe(422);
    expect((await post(eventsUrl, `${large}\n`, NDJSON_TYPE)).status).toBe(422);
    expect((await post(eventsUrl, large)).status).toBe(413);
    const found = await records(2);
    expect(found).toMatchObject([
      { code: 'EVENT_TOO_LARGE', bytes: large.length, isCut: true, content: { kind: 'text' } },
      { code: 'EVENT_TOO_LARGE', bytes: null, isCut: false, content: undefined },
    ]);
    expect(large.startsWith(String(found[0]?.content?.value))).toBe(true);
  });

  it('exclude what was not parsed: empty bodies, unsupported types, and bodies that are too large or incomplete', async () => {
    const { eventsUrl, read } = await start('receivers.events.max_request_body_size=2000');
    expect((await post(eventsUrl, '')).status).toBe(400);
    expect((await post(eventsUrl, 'x', { 'content-type': 'text/html' })).status).toBe(415);
    expect((await post(eventsUrl, 'x'.repeat(2_001))).status).toBe(413);
    expect((await post(eventsUrl, 'no gzip', { ...JSON_TYPE, 'content-encoding': 'gzip' })).status).toBe(400);
    expect(await read()).toEqual([]);
  });

  it('are counted in the stats, and the ledger does not change', async () => {
    const { eventsUrl, records, stats } = await start();
    await post(eventsUrl, `[${good},${bad},${bad}]`);
    await post(eventsUrl, 'nonsense');
    await records(3);
    const { dead_letters, receivers } = await stats();
    expect(dead_letters).toEqual({ records: 3, bytes: expect.any(Number), lost: 0 });
    expect(dead_letters.bytes).toBeGreaterThan(2 * bad.length);
    expect(receivers['events']).toMatchObject({
      received: 4,
      stored: 1,
      rejected: 3,
      reasons: { EVENT_INVALID: 2, MALFORMED_JSON: 1 },
    });
  });

  it('are bounded by size during a flood, and the newest stay', async () => {
    const { eventsUrl, read, stats, service } = await start('exporters.store.rejected.max_size=200KB');
    const flood = Array.from({ length: 3_000 }, (_, index) => `{"place":${index},"pad":"${'x'.repeat(200)}"}`);
    expect((await post(eventsUrl, flood.join('\n'), NDJSON_TYPE)).body.rejected_count).toBe(3_000);
    const { dead_letters } = await stats();
    expect(dead_letters.lost).toBe(0);
    await service.shutdown();
    const indexes = (await read()).map(({ content }) => (Object(content?.value) as { place: number }).place);
    expect(indexes.length).toBeGreaterThan(200);
    expect(indexes).toEqual(Array.from({ length: indexes.length }, (_, index) => 3_000 - indexes.length + index));
  });

  it('are not kept if that is disabled', async () => {
    const { eventsUrl, read, stats } = await start('exporters.store.rejected.max_size=0');
    expect((await post(eventsUrl, bad)).status).toBe(422);
    expect(await read()).toEqual([]);
    expect((await stats()).dead_letters).toEqual({ records: 0, bytes: 0, lost: 0 });
  });

  it('change no response if they cannot be written, and are counted as lost', async () => {
    const { eventsUrl, read, stats, directory, logged } = await start();
    await writeFile(join(directory, 'rejected'), 'in the way');
    const response = await post(eventsUrl, `[${good},${bad}]`);
    expect([response.status, response.body.accepted, response.body.rejected.length]).toEqual([200, 1, 1]);
    expect((await post(eventsUrl, bad)).status).toBe(422);
    const { dead_letters } = await waitFor('both to be lost', async () => {
      const response = await stats();
      return response.dead_letters.lost === 2 && response;
    });
    expect(dead_letters).toEqual({ records: 0, bytes: 0, lost: 2 });
    expect(logged.filter(({ err }) => JSON.stringify(err ?? '').includes('REJECTED_UNAVAILABLE'))).toHaveLength(1);
    expect(await read()).toEqual([]);
  });
});

describe('the list of rejected payloads', () => {
  it('has pages and a filter over HTTP and in a folder', async () => {
    const { eventsUrl, apiUrl, directory, records } = await start();
    await post(eventsUrl, `${bad}\n{"half":\n${bad}\n`, NDJSON_TYPE);
    await records(3);
    const http = createHttpReader({ url: apiUrl.replace('/api/v1', '') });
    const folder = await openFolderReader({ directory });
    for (const reader of [http, folder]) {
      const first = await reader.listRejected({ limit: 2 });
      expect(first.rejected.map(({ code }) => code)).toEqual(['EVENT_INVALID', 'MALFORMED_JSON']);
      expect(first.rejected[0]).toMatchObject({ receiver: 'events', field: '/message', payload: { message: 5 } });
      const rest = await reader.listRejected({ limit: 2, cursor: first.next_cursor ?? '' });
      expect(rest).toMatchObject({ rejected: [{ code: 'EVENT_INVALID' }], next_cursor: null, damaged: 0 });
      expect((await reader.listRejected({ query: 'HALF malformed' })).rejected).toHaveLength(1);
      await expect(reader.listRejected({ cursor: 'x' })).rejects.toMatchObject({ code: 'CURSOR_INVALID' });
    }
    await http.close();
    await folder.close();
  });
});
