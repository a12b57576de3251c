import { readFile } from 'node:fs/promises';
import { startClient } from '../../../helpers/clients/client-program.js';
import { stablePayload } from '../../../helpers/clients/stable-payload.js';
import { type RunningSentry, startSentry } from './running-sentry.js';

const GOLDEN = new URL('../../../fixtures/clients/golden/sentry-node-11.json', import.meta.url);

let running: RunningSentry;
beforeEach(async () => {
  running = await startSentry();
});
afterEach(() => running.close());

it('a real SDK reports an exception with its cause, a message, what is no error, a log entry and a failed request, field by field', async () => {
  await startClient('sentry-node-11', { SENTRY_DSN: running.urls[0] }).finished;
  const payloads = running.consumer.events.map(({ payload }) => stablePayload(payload));
  const golden: unknown[] = JSON.parse(await readFile(GOLDEN, 'utf8'));
  expect(payloads).toHaveLength(golden.length);
  expect(payloads).toEqual(expect.arrayContaining(golden));
  expect(running.ledger.snapshot()['sentry']).toMatchObject({ stored: 5, rejected: 0, refused: 0 });
});
