import { Agent, request } from 'node:http';
import autocannon from 'autocannon';

/** A load on one URL for a limited time. */
export interface Load {
  url: string;
  bodies: readonly Buffer[];
  contentType: string;
  connections: number;
  seconds: number;
  /** Requests per second over all connections; unlimited by default. */
  requestsPerSecond?: number;
}

interface LoadResult {
  requestsPerSecond: number;
  /** Describes responses other than 2xx and failed connections, which make a run invalid. */
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
  return `${non2xx} responses other than 2xx (codes ${codes}), ${errors} errors, of them ${timeouts} timeouts`;
}

/** Returns the rate of 2xx responses; throws if a request failed. */
export async function checkedRate(load: Load): Promise<number> {
  const { failures, requestsPerSecond } = await postLoad(load);
  if (failures !== undefined) throw new Error(`${load.url}: ${failures}; the run is invalid`);
  return requestsPerSecond;
}

/** Posts the bodies in turn over several connections until a connection fails. */
export async function postUntilDisconnected(
  url: string,
  bodies: readonly Buffer[],
  connections: number,
): Promise<void> {
  const post = async (): Promise<void> => {
    for (let index = 0; ; index = (index + 1) % bodies.length) {
      const body = new Uint8Array(bodies[index] ?? []);
      const response = await fetch(url, { method: 'POST', headers: { 'content-type': 'application/x-ndjson' }, body });
      await response.arrayBuffer();
    }
  };
  await Promise.allSettled(Array.from({ length: connections }, post));
}

/** Posts each body once over several connections and returns the number of accepted events; rejects for a response other than 200. */
export async function postAll(url: string, bodies: Iterable<Buffer>, connections: number): Promise<number> {
  const remaining = bodies[Symbol.iterator]();
  const headers = { 'content-type': 'application/x-ndjson', prefer: 'return=minimal' };
  let accepted = 0;
  const post = async (): Promise<void> => {
    for (let next = remaining.next(); next.done !== true; next = remaining.next()) {
      const response = await fetch(url, { method: 'POST', headers, body: new Uint8Array(next.value) });
      const text = await response.text();
      if (response.status !== 200) throw new Error(`${url} returned ${response.status}: ${text.slice(0, 500)}`);
      accepted += Number(/"accepted":(\d+)/.exec(text)?.[1]);
    }
  };
  await Promise.all(Array.from({ length: connections }, post));
  return accepted;
}

/** Gets each URL once over one keep-alive connection and returns the latencies in milliseconds; rejects for a response other than 200. */
export async function getLatencies(urls: readonly string[]): Promise<number[]> {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  const latencies: number[] = [];
  for (const url of urls) latencies.push(await getLatency(url, agent));
  agent.destroy();
  return latencies;
}

/** Returns the milliseconds from sending to the last byte of the response. */
function getLatency(url: string, agent: Agent): Promise<number> {
  return new Promise((resolve, reject) => {
    const began = performance.now();
    const sent = request(url, { agent }, (response) => {
      response.resume().on('end', () => {
        if (response.statusCode === 200) resolve(performance.now() - began);
        else reject(new Error(`${url} returned ${response.statusCode}`));
      });
    });
    sent.on('error', reject).end();
  });
}
