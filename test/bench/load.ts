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

/** Posts the bodies in turn for so long and answers the rate of 2xx answers. */
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
    for (let place = 0; ; place = (place + 1) % bodies.length) {
      const body = new Uint8Array(bodies[place] ?? []);
      const answer = await fetch(url, { method: 'POST', headers: { 'content-type': 'application/x-ndjson' }, body });
      await answer.arrayBuffer();
    }
  };
  await Promise.allSettled(Array.from({ length: connections }, post));
}

/** One client with one connection that is kept: what a request costs beyond the server is small and the same for everybody. */
export interface LoneClient {
  /** Milliseconds from sending to the last byte of the answer; rejects unless it is a 200. */
  get(url: string): Promise<number>;
  post(url: string, body: Buffer): Promise<number>;
  close(): void;
}

/** Builds a lone client. */
export function createLoneClient(): LoneClient {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  const send = (url: string, method: string, body?: Buffer): Promise<number> =>
    new Promise((resolve, reject) => {
      const headers = body === undefined ? {} : { 'content-type': 'application/json', 'content-length': body.length };
      const began = performance.now();
      const sent = request(url, { agent, method, headers }, (answer) => {
        answer.resume().on('end', () => {
          if (answer.statusCode === 200) resolve(performance.now() - began);
          else reject(new Error(`${url} answered ${answer.statusCode}`));
        });
      });
      sent.on('error', reject).end(body);
    });
  return {
    get: (url) => send(url, 'GET'),
    post: (url, body) => send(url, 'POST', body),
    close: () => agent.destroy(),
  };
}

/** Asks for each URL once, one at a time, and answers every latency in milliseconds. */
export async function getLatencies(urls: readonly string[]): Promise<number[]> {
  const client = createLoneClient();
  const latencies: number[] = [];
  for (const url of urls) latencies.push(await client.get(url));
  client.close();
  return latencies;
}
