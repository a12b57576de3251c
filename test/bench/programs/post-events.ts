import { spreadBody } from '../sample-issues.js';

const BATCHES_PER_SECOND = 10;
const BODIES = 40;

/** Sends events until it is killed: `post-events <address> <events per second> <issues>`. */
const [address = '', perSecondText, issuesText] = process.argv.slice(2);
const batch = Math.round(Number(perSecondText) / BATCHES_PER_SECOND);
const bodies = Array.from({ length: BODIES }, (_, index) => spreadBody(index * batch, batch, Number(issuesText)));
for (let sent = 0, began = performance.now(); ; sent += 1) {
  const body = new Uint8Array(bodies[sent % BODIES] ?? []);
  const response = await fetch(address, { method: 'POST', headers: { 'content-type': 'application/x-ndjson' }, body });
  if (!response.ok) throw new Error(`${address} returned ${response.status}`);
  await response.arrayBuffer();
  const waitMs = began + ((sent + 1) * 1000) / BATCHES_PER_SECOND - performance.now();
  if (waitMs < -1000) began = performance.now() - ((sent + 1) * 1000) / BATCHES_PER_SECOND;
  await new Promise((resolve) => setTimeout(resolve, waitMs));
}
