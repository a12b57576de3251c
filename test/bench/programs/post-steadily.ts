import { Agent, request } from 'node:http';
import { inRawLineOrder, sampleEvent } from '../sample-events.js';

const BATCH = 10;
const KINDS = 200;
/** Requests of the first seconds do not count, because a new collector compiles its code. */
const WARM_UP_MS = 2_000;
/** Waiting for one of these connections counts as latency. */
const MAX_SOCKETS = 64;

/**
 * Posts batches of ten events at a steady rate without waiting for responses: `post-steadily <url> <events per second> <seconds>`.
 * Prints JSON: `latenciesMs` from sending to the last byte of the response, without those of the first two seconds, and the `ids` of all
 * stored events. A request on a closed keep-alive connection is repeated, which counts as latency. Fails unless all are accepted.
 */
const [url = '', perSecondText, secondsText] = process.argv.slice(2);
const requests = (Number(perSecondText) * Number(secondsText)) / BATCH;
const betweenMs = (BATCH * 1000) / Number(perSecondText);
const agent = new Agent({ keepAlive: true, maxSockets: MAX_SOCKETS });
const latenciesMs: number[] = [];
const ids: string[] = [];
const running: Promise<void>[] = [];
const began = performance.now();
for (let sent = 0; sent < requests; sent += 1) {
  const waitMs = began + sent * betweenMs - performance.now();
  if (waitMs > 0) await new Promise((resolve) => setTimeout(resolve, waitMs));
  running.push(post(sent * BATCH));
}
await Promise.all(running);
agent.destroy();
process.stdout.write(`${JSON.stringify({ latenciesMs, ids })}\n`);

async function post(first: number): Promise<void> {
  const lines = Array.from({ length: BATCH }, (_, index) =>
    inRawLineOrder(sampleEvent((first + index) % KINDS, first + index)),
  );
  const sentMs = performance.now();
  const stored = await send(`${lines.join('\n')}\n`);
  if (sentMs - began >= WARM_UP_MS) latenciesMs.push(performance.now() - sentMs);
  if (stored.length !== BATCH) throw new Error(`${url} stored ${stored.length} events of ${BATCH}`);
  ids.push(...stored);
}

/** Posts a body; returns the ids of the stored events. */
function send(body: string): Promise<string[]> {
  return new Promise((resolve, reject) => {
    const headers = { 'content-type': 'application/x-ndjson' };
    const sent = request(url, { method: 'POST', agent, headers }, (response) => {
      let text = '';
      response.setEncoding('utf8').on('data', (chunk: string) => {
        text += chunk;
      });
      response.on('error', reject).on('end', () => {
        if (response.statusCode === 200) resolve(storedIds(text));
        else reject(new Error(`${url} returned ${response.statusCode}: ${text.slice(0, 500)}`));
      });
    });
    sent.on('error', (error: NodeJS.ErrnoException) => {
      if (sent.reusedSocket && error.code === 'ECONNRESET') resolve(send(body));
      else reject(error);
    });
    sent.end(body);
  });
}

function storedIds(text: string): string[] {
  const { events }: { events?: { event_id?: unknown }[] } = JSON.parse(text);
  return (events ?? []).map(({ event_id }) => String(event_id));
}
