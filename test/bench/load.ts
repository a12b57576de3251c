import { Agent, request } from 'node:http';
import autocannon from 'autocannon';

/** A bounded load on one loopback address. */
export interface Load {
  url: string;
  bodies: readonly Buffer[];
  contentType: string;
  connections: number;
  seconds: number;
  /** Requests per second over all connections; as many as are answered by default. */
  requestsPerSecond?: number;
}

/** What a load came to. */
interface LoadResult {
  requestsPerSecond: number;
  /** Answers that were not 2xx, and connections that failed, in words: any makes a run worthless. */
  failures: string | undefined;
}

/** Posts the bodies in turn for a time and returns the rate of 2xx responses. */
async function postLoad(load: Load): Promise<LoadResult> {
  const result = await autocannon({
    url: load.url,
    method: 'POST',
    connections: load.connections,
    duration: load.seconds,
    ...(load.requestsPerSecond !== undefined && { overallRate: load.requestsPerSecond }),
    headers: { 'content-type': load.contentType },
    requests: load.bodies.map((body) => ({
      method: 'POST',
      body,
      headers: { 'content-type': load.contentType, prefer: 'return=minimal' },
    })),
  });
  return {
    requestsPerSecond: result['2xx'] / result.duration,
    failures: result.non2xx + result.errors === 0 ? undefined : describeFailures(result),
  };
}

function describeFailures({ non2xx, errors, timeouts, statusCodeStats }: autocannon.Result): string {
  const codes = Object.keys(statusCodeStats ?? {}).join(', ');
  return `${non2xx} answers other than 2xx (codes ${codes}), ${errors} errors, of them ${timeouts} timeouts`;
}

/** The rate of a load in which every request was answered with 2xx; throws otherwise. */
export async function checkedRate(load: Load): Promise<number> {
  const { failures, requestsPerSecond } = await postLoad(load);
  if (failures !== undefined) throw new Error(`${load.url}: ${failures}; the run says nothing`);
  return requestsPerSecond;
}

/** Posts the bodies in turn over several connections until one of them is refused or broken. */
export async function postUntilGone(url: string, bodies: readonly Buffer[], connections: number): Promise<void> {
  const post = async (): Promise<void> => {
    for (let index = 0; ; index = (index + 1) % bodies.length) {
      const body = new Uint8Array(bodies[index] ?? []);
      const response = await fetch(url, { method: 'POST', headers: { 'content-type': 'application/x-ndjson' }, body });
      await response.arrayBuffer();
    }
  };
  await Promise.allSettled(Array.from({ length: connections }, post));
}

/** Posts each body once over several connections and returns the number of accepted events; rejects unless each response is a 200. */
export async function postAll(url: string, bodies: Iterable<Buffer>, connections: number): Promise<number> {
  const left = bodies[Symbol.iterator]();
  const headers = { 'content-type': 'application/x-ndjson', prefer: 'return=minimal' };
  let accepted = 0;
  const post = async (): Promise<void> => {
    for (let next = left.next(); next.done !== true; next = left.next()) {
      const response = await fetch(url, { method: 'POST', headers, body: new Uint8Array(next.value) });
      const text = await response.text();
      if (response.status !== 200) throw new Error(`${url} answered ${response.status}: ${text.slice(0, 500)}`);
      accepted += Number(/"accepted":(\d+)/.exec(text)?.[1]);
    }
  };
  await Promise.all(Array.from({ length: connections }, post));
  return accepted;
}

/** Asks for each URL once, one at a time on one kept connection, and returns every latency in milliseconds; rejects unless each response is a 200. */
export async function getLatencies(urls: readonly string[]): Promise<number[]> {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  const latencies: number[] = [];
  for (const url of urls) latencies.push(await getLatency(url, agent));
  agent.destroy();
  return latencies;
}

/** From sending to the last byte of the answer. */
function getLatency(url: string, agent: Agent): Promise<number> {
  return new Promise((resolve, reject) => {
    const began = performance.now();
    const sent = request(url, { agent }, (answer) => {
      answer.resume().on('end', () => {
        if (answer.statusCode === 200) resolve(performance.now() - began);
        else reject(new Error(`${url} answered ${answer.statusCode}`));
      });
    });
    sent.on('error', reject).end();
  });
}
