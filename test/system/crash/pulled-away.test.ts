import { access, readdir, readFile, rename, rm, truncate, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { post } from '../../collector/post.js';
import {
  killLeftoverProcesses,
  type RunningCollector,
  runFaultline,
  startCollector,
  stop,
} from '../../helpers/faultline-process.js';
import { serverPayload } from '../../helpers/payloads.js';
import { removeTemporaryFolders, temporaryFolder } from '../../helpers/temporary-folder.js';
import { waitFor } from '../../helpers/wait-for.js';

afterAll(async () => {
  killLeftoverProcesses();
  await removeTemporaryFolders();
});

interface Stored {
  readonly requestId: string;
  readonly path: string;
  readonly line: number;
  /** `Senders.pulls` when it was sent. */
  readonly pulls: number;
}

/** Sends single events over four connections and repeats those refused with 503. */
class Senders {
  readonly stored: Stored[] = [];
  readonly faults: string[] = [];
  refused = 0;
  /** The number of pulls so far. */
  pulls = 0;
  readonly #url: string;
  readonly #done: Promise<unknown>;
  #isStopped = false;
  #sent = 0;

  constructor(url: string) {
    this.#url = `${url}/v1/events`;
    this.#done = Promise.all(Array.from({ length: 4 }, () => this.#send()));
  }

  async stop(): Promise<void> {
    this.#isStopped = true;
    await this.#done;
  }

  async #send(): Promise<void> {
    while (!this.#isStopped) {
      this.#sent += 1;
      const requestId = `sent-${this.#sent}`;
      const body = JSON.stringify(serverPayload({ request_id: requestId, timestamp: new Date().toISOString() }));
      for (let isStored = false; !isStored; ) {
        const { pulls } = this;
        const response = await fetch(this.#url, {
          method: 'POST',
          body,
          headers: { 'content-type': 'application/json' },
        });
        const text = await response.text();
        isStored = response.status === 200;
        if (isStored) {
          const { path, line } = JSON.parse(text).events[0].raw;
          this.stored.push({ requestId, path, line, pulls });
        } else if (response.status === 503 && response.headers.get('retry-after') !== null) {
          this.refused += 1;
        } else {
          this.faults.push(`${response.status} ${text}`);
          return;
        }
      }
    }
  }
}

/** Every `raw.ndjson` of a data folder. */
async function rawFiles(data: string): Promise<string[]> {
  const names = await readdir(join(data, 'raw'), { recursive: true });
  return names.filter((name) => name.endsWith('/raw.ndjson')).map((name) => join(data, 'raw', name));
}

async function linesOf(path: string): Promise<string[]> {
  return (await readFile(path, 'utf8')).split('\n').slice(0, -1);
}

/** Changes to a data folder under a running collector, given the raw file of a stored event. */
const PULLS: Readonly<Record<string, (data: string, raw: string) => Promise<void>>> = {
  'the data folder removed': (data) => rm(data, { recursive: true, force: true, maxRetries: 20 }),
  'the data folder moved': (data) => rename(data, `${data}.before`),
  'raw removed': (data) => rm(join(data, 'raw'), { recursive: true, force: true, maxRetries: 20 }),
  'the folder of the hour moved': (data, raw) => rename(dirname(raw), `${data}.hour`),
  'raw.ndjson removed': (_data, raw) => rm(raw),
  'raw.ndjson moved': (data, raw) => rename(raw, `${data}.raw`),
  'commits.ndjson removed': (_data, raw) => rm(join(dirname(raw), 'commits.ndjson')),
  'commits.ndjson moved': (data, raw) => rename(join(dirname(raw), 'commits.ndjson'), `${data}.commits`),
  'raw.ndjson emptied': (_data, raw) => truncate(raw, 0),
  'raw.ndjson cut to half': async (_data, raw) => truncate(raw, (await readFile(raw)).length >> 1),
  'commits.ndjson emptied': (_data, raw) => truncate(join(dirname(raw), 'commits.ndjson'), 0),
  'LOCK removed': (data) => rm(join(data, 'LOCK')),
};

function urlOf({ output }: RunningCollector, pattern: RegExp): string {
  return pattern.exec(output.stdout)?.[1] ?? '';
}

async function textOf(url: string): Promise<string> {
  return await (await fetch(url)).text();
}

describe.each(['fsync', 'os'])('a collector under load with durability %s', (durability) => {
  it.each(Object.keys(PULLS))(
    'stores what it acknowledges at the reported path again, and reports the cause: %s',
    async (pull) => {
      const data = join(await temporaryFolder(), 'data');
      const collector = await startCollector(data, [`--set=exporters.store.durability=${durability}`]);
      const health = urlOf(collector, /health\s+(http\S+)/);
      const metrics = `${new URL(urlOf(collector, /metrics\s+(http\S+)/)).origin}/metrics`;
      const senders = new Senders(collector.ingestUrl);
      await waitFor('events', () => senders.stored.length >= 40 || senders.faults[0]);
      const [raw = ''] = await rawFiles(data);
      await PULLS[pull]?.(data, raw);
      senders.pulls += 1;
      const hasRecovered = (): boolean => senders.stored.filter(({ pulls }) => pulls > 0).length >= 40;
      await waitFor('events after the pull', () => hasRecovered() || senders.faults[0]);
      await senders.stop();
      expect(senders.faults).toEqual([]);

      const after = senders.stored.filter(({ pulls }) => pulls > 0);
      for (const { requestId, path, line } of after) {
        expect(JSON.parse((await linesOf(path))[line] ?? 'null')).toMatchObject({ request_id: requestId });
      }
      expect(await textOf(metrics)).toMatch(/faultline_store_reopenings_total\{[^}]*outcome="success"[^}]*\} [1-9]/);
      expect((await fetch(health)).status).toBe(200);
      expect(collector.output.stderr).toContain('the files of the store were removed');
      expect(collector.output.stderr).toContain(data);
      const ids = (await Promise.all((await rawFiles(data)).map(linesOf)))
        .flat()
        .map((line) => JSON.parse(line).request_id);
      expect(ids).toHaveLength(new Set(ids).size);
      expect(JSON.parse(await textOf(`${collector.queryUrl}/api/v1/stats`))).toMatchObject({ events: ids.length });
      expect(await stop(collector)).toMatchObject({ code: 0 });
      expect(await runFaultline(['verify', '--data', data])).toMatchObject({ code: 0 });
    },
  );
});

it('recreates its folder even without traffic, and is unhealthy until it can accept events', async () => {
  const data = join(await temporaryFolder(), 'data');
  const collector = await startCollector(data);
  const health = urlOf(collector, /health\s+(http\S+)/);
  await rm(data, { recursive: true, maxRetries: 20 });
  await writeFile(data, 'a file');
  await waitFor('the collector to be unhealthy', async () => (await fetch(health)).status === 503);
  expect(await textOf(health)).toContain(data);
  const body = JSON.stringify(serverPayload());
  const send = () => post(`${collector.ingestUrl}/v1/events`, body);
  const refused = await send();
  expect([refused.status, refused.headers.get('retry-after')]).toEqual([503, '1']);
  await rm(data);
  await waitFor('the folder', () => access(join(data, 'LOCK')).then(() => true));
  await waitFor('the collector to be healthy', async () => (await fetch(health)).status === 200);
  expect((await send()).status).toBe(200);
  expect((await Promise.all((await rawFiles(data)).map(linesOf))).flat()).toHaveLength(1);
  expect(await stop(collector)).toMatchObject({ code: 0 });
});
