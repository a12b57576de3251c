import { kindOfFailure } from '../../../helpers/payloads.js';
import { removeTemporaryFolders, temporaryFolder } from '../../../helpers/temporary-folder.js';
import { waitFor } from '../../../helpers/wait-for.js';
import { settingsFor, startService, statsOf } from '../../running-service.js';
import { startReceiver } from './call-receiver.js';
import { callingSettings, send, stopAll, webhookStats } from './calling-collector.js';

afterEach(stopAll);
afterAll(removeTemporaryFolders);

describe('the calls of a webhook', () => {
  it('are retried after 408, 429, 500 and 503, with the same id and body', async () => {
    const receiver = await startReceiver();
    receiver.respond = (nth) => ({ status: [408, 429, 500, 503][nth] ?? 204 });
    const collector = await startService(callingSettings(await temporaryFolder(), receiver.url));
    await send(collector, kindOfFailure(1));
    await waitFor('it', async () => (await webhookStats(collector)).sent === 1);
    expect(receiver.calls).toHaveLength(5);
    expect(new Set(receiver.calls.map(({ headers }) => headers['webhook-id'])).size).toBe(1);
    expect(new Set(receiver.calls.map(({ text }) => text)).size).toBe(1);
    expect(await webhookStats(collector)).toMatchObject({
      failing: false,
      last_error: { message: expect.stringContaining('answered 503') },
    });
  });

  it('stop after a response that asks for no retry, with the reason in stats and log, and the next alert is sent', async () => {
    const refusals = [
      [{ status: 410 }, 'the server answered 410: the address is gone for good: set another endpoint'],
      [
        { status: 302, headers: { location: 'http://127.0.0.1:1/' } },
        'the server answered 302: redirects are not followed: set the endpoint to the target address',
      ],
      [{ status: 400, body: 'invalid_blocks' }, 'the server answered 400: invalid_blocks'],
      [{ status: 400, body: '<script>the quantity is wrong</script>' }, 'the server answered 400'],
    ] as const;
    const receiver = await startReceiver();
    receiver.respond = (nth) => refusals[nth]?.[0] ?? { status: 200 };
    const collector = await startService(callingSettings(await temporaryFolder(), receiver.url));
    for (const [nth, [, message]] of refusals.entries()) {
      await send(collector, kindOfFailure(nth));
      await waitFor('it to fail', async () => (await webhookStats(collector)).lost === nth + 1);
      expect(await webhookStats(collector)).toMatchObject({ failing: true, last_error: { message } });
      const logged = { level: 50, component: 'webhook', reason: message, alerts: 1 };
      expect(collector.logged).toContainEqual(expect.objectContaining(logged));
    }
    expect(JSON.stringify(collector.logged)).not.toContain('s3cret');
    await send(collector, kindOfFailure(refusals.length));
    await waitFor('the next one', async () => (await webhookStats(collector)).sent === 1);
    expect(await webhookStats(collector)).toMatchObject({ failing: false, lost: 4 });
    expect(receiver.calls).toHaveLength(5);
  });

  it('stop after the elapsed time', async () => {
    const receiver = await startReceiver();
    receiver.respond = () => ({ status: 503 });
    const settings = callingSettings(
      await temporaryFolder(),
      receiver.url,
      'exporters.webhook.retry_on_failure.max_elapsed_time=50ms',
    );
    const collector = await startService(settings);
    await send(collector, kindOfFailure(1));
    await waitFor('it to fail', async () => (await webhookStats(collector)).lost === 1);
    expect(receiver.calls.length).toBeGreaterThan(1);
  });

  it('are not made to a private address unless that is allowed', async () => {
    const receiver = await startReceiver();
    const hosts = ['127.0.0.1', 'localhost', '[::1]', '0x7f.1', '[::ffff:127.0.0.1]'];
    const ids = hosts.map((_, index) => `webhook/${index}`);
    const endpoints = hosts.map((host, index) => [
      `exporters.webhook/${index}.endpoint=http://${host}:${receiver.port}/hook`,
      `exporters.webhook/${index}.allow_private_addresses=false`,
    ]);
    const exporters = `service.pipelines.events.exporters=[store, ${ids.join(', ')}]`;
    const collector = await startService(settingsFor(await temporaryFolder(), ...endpoints.flat(), exporters));
    await send(collector, kindOfFailure(1));
    for (const id of ids) {
      const stats = await waitFor(`${id} to fail`, async () => {
        const own = (await statsOf(collector)).exporters?.[id];
        return own?.lost === 1 && own;
      });
      expect(stats).toMatchObject({
        failing: true,
        last_error: { message: expect.stringMatching(/not a public address, .* set allow_private_addresses: true\.$/) },
      });
    }
    expect(receiver.calls).toEqual([]);
  });
});
