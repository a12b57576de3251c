// Readers of `GET /api/v1/stream`, which outlive the collector and continue by `Last-Event-ID`.
import { isDeepStrictEqual } from 'node:util';
import { pause, waitUntil } from './collector.js';
import { listAll } from './snapshot.js';

/** Changes by the clock, which streams do not report. */
const BY_CLOCK = ['trend', 'is_new', 'spiking'];
/** Changes by retention, which they do not report either; repeated reports add only users. */
const BY_OTHERS = ['removed_events', 'count', 'sampled', 'users'];

/** Splits a body into blocks of lines, as WHATWG HTML 9.2 describes. */
async function* blocksOf(body) {
  const decoder = new TextDecoder();
  let rest = '';
  for await (const bytes of body) {
    rest += decoder.decode(bytes, { stream: true });
    const blocks = rest.split('\n\n');
    rest = blocks.pop();
    for (const block of blocks) {
      const fields = block
        .split('\n')
        .map((line) => [line.slice(0, line.indexOf(':')), line.slice(line.indexOf(':') + 2)]);
      yield Object.fromEntries(fields);
    }
  }
}

class StreamReader {
  /** State of each issue that was reported or listed, by id. */
  issues = new Map();
  resets = 0;
  #lastId;
  #url;
  #api;
  #slowness;
  #stop = new AbortController();
  #running;

  constructor({ api, slowness }) {
    this.#api = api;
    this.#url = `${api}/stream`;
    this.#slowness = slowness;
    this.#running = this.#run();
  }

  /** Whether it has a position from which it continues. */
  get isFollowing() {
    return this.#lastId !== undefined;
  }

  async close() {
    this.#stop.abort();
    await this.#running;
  }

  async #run() {
    const { signal } = this.#stop;
    while (!signal.aborted) {
      await this.#follow(signal).catch(() => undefined);
      await pause(30);
    }
  }

  async #follow(signal) {
    const headers = this.#lastId === undefined ? {} : { 'last-event-id': this.#lastId };
    const response = await fetch(this.#url, { headers, signal });
    if (response.status !== 200) return;
    for await (const { event, id, data } of blocksOf(response.body)) {
      if (event === 'dropped') return;
      if (event === 'reset') this.resets += 1;
      // Without an earlier position, and after a reset, a reader reads the lists.
      if (id !== undefined && (event === 'reset' || this.#lastId === undefined)) await this.#readLists();
      if (event?.startsWith('issue.')) {
        const issue = JSON.parse(data);
        this.issues.set(issue.issue_id, issue);
      }
      this.#lastId = id ?? this.#lastId;
      if (this.#slowness > 0) await pause(this.#slowness);
    }
  }

  async #readLists() {
    const issues = await listAll(`${this.#api}/issues`, 'issues');
    this.issues = new Map(issues.map((issue) => [issue.issue_id, issue]));
  }
}

/** Starts readers, one of them slow. They need no restart when the collector restarts. */
export function createStreamReaders(api) {
  const readers = [0, 0, 5].map((slowness) => new StreamReader({ api, slowness }));
  return {
    /** Resolves when each reader has a position, and so misses nothing from now on. */
    async untilFollowing() {
      await waitUntil(() => readers.every(({ isFollowing }) => isFollowing));
    },
    /** Compares what the readers were told with the list of a collector without load. `isExact`: neither retention nor repeated reports changed counts. */
    async compare({ isExact, report }) {
      const ignored = new Set(isExact ? BY_CLOCK : [...BY_CLOCK, ...BY_OTHERS]);
      let difference;
      await waitUntil(async () => {
        const listed = await listAll(`${api}/issues`, 'issues');
        difference = readers.map((reader, index) => differenceOf(reader, listed, index, ignored)).find(Boolean);
        return difference === undefined;
      }, 15_000);
      if (difference !== undefined) report('streams', difference.where, difference.what);
    },
    async close() {
      await Promise.all(readers.map((reader) => reader.close()));
    },
  };
}

function differenceOf({ issues, resets }, listed, index, ignored) {
  for (const issue of listed) {
    const where = `reader ${index} after ${resets} resets, ${issue.issue_id}`;
    const told = issues.get(issue.issue_id);
    if (told === undefined) return { where, what: `was not told of ${JSON.stringify(issue)}` };
    const keys = Object.keys(issue).filter((key) => !ignored.has(key) && !isDeepStrictEqual(issue[key], told[key]));
    const [key] = keys;
    if (key !== undefined) {
      const values = `${JSON.stringify(told[key])}, the list has ${JSON.stringify(issue[key])}`;
      return { where, what: `was told ${key} ${values} (${keys.join(', ')} differ)` };
    }
  }
  return undefined;
}
