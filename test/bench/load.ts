import autocannon from 'autocannon';

/** A bounded load on one loopback address. */
export interface Load {
  url: string;
  bodies: readonly Buffer[];
  contentType: string;
  connections: number;
  seconds: number;
}

/** What a load came to. */
export interface LoadResult {
  requestsPerSecond: number;
  /** Answers that were not 2xx, and connections that failed: any makes a run worthless. */
  failures: number;
  latencyP50Ms: number;
}

/** Posts the bodies in turn for so long and answers the rate of 2xx answers. */
export async function postLoad(load: Load): Promise<LoadResult> {
  const result = await autocannon({
    url: load.url,
    method: 'POST',
    connections: load.connections,
    duration: load.seconds,
    headers: { 'content-type': load.contentType },
    requests: load.bodies.map((body) => ({
      method: 'POST',
      body,
      headers: { 'content-type': load.contentType, prefer: 'return=minimal' },
    })),
  });
  return {
    requestsPerSecond: result['2xx'] / result.duration,
    failures: result.non2xx + result.errors + result.timeouts,
    latencyP50Ms: result.latency.p50,
  };
}

/** Asks for the URLs in turn, one at a time, and answers every latency in milliseconds. */
export async function getLatencies(urls: readonly string[], rounds: number): Promise<number[]> {
  const latencies: number[] = [];
  for (let round = 0; round < rounds; round += 1) {
    const url = urls[round % urls.length];
    if (url === undefined) break;
    const began = performance.now();
    const response = await fetch(url);
    await response.arrayBuffer();
    if (response.status !== 200) throw new Error(`${url} answered ${response.status}`);
    latencies.push(performance.now() - began);
  }
  return latencies;
}
