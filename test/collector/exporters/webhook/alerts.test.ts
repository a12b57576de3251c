import { createHmac } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { RawPayload } from '../../../../core/event/raw-payload.js';
import { kindOfFailure } from '../../../helpers/payloads.js';
import { removeTemporaryFolders, temporaryFolder } from '../../../helpers/temporary-folder.js';
import { waitFor } from '../../../helpers/wait-for.js';
import { startService } from '../../running-service.js';
import { type CallReceiver, startReceiver } from './call-receiver.js';
import { act, callingSettings, send, stopAll, webhookStats } from './calling-collector.js';

afterEach(stopAll);
afterAll(removeTemporaryFolders);

const HOUR_MS = 3_600_000;

function typesOf({ calls: came }: CallReceiver): string[] {
  return came.map(({ body }) => body.type);
}

function hoursAgo(hours: number, events: number): RawPayload[] {
  const timestamp = new Date(Date.now() - hours * HOUR_MS).toISOString();
  return Array.from({ length: events }, () => kindOfFailure(0, { timestamp }));
}

describe('a webhook', () => {
  it('reports a new issue once, signed by Standard Webhooks, with links to open it', async () => {
    const receiver = await startReceiver();
    const secret = Buffer.from('a key of more than 16 bytes').toString('base64');
    const collector = await startService(
      callingSettings(
        await temporaryFolder(),
        receiver.url,
        `exporters.webhook.signing_secret=whsec_${secret}`,
        'exporters.webhook.terminal_url=https://errors.example.com/',
        'exporters.webhook.headers.X-Team=shop',
      ),
    );
    const [issueId] = await send(collector, kindOfFailure(1), kindOfFailure(1));
    await send(collector, kindOfFailure(1));
    await send(collector, kindOfFailure(2));
    await waitFor('both', () => receiver.calls.length === 2);
    expect(typesOf(receiver)).toEqual(['issue.new', 'issue.new']);
    const [{ path, headers, text, body } = { path: '', headers: {}, text: '', body: {} }] = receiver.calls;
    expect(path).toBe('/hook/s3cret');
    expect(headers).toMatchObject({ 'content-type': 'application/json', 'x-team': 'shop' });
    const { 'webhook-id': id, 'webhook-timestamp': timestamp, 'webhook-signature': signature } = headers;
    expect(id).toMatch(/^msg_[0-9a-f-]{36}$/);
    const signed = createHmac('sha256', 'a key of more than 16 bytes').update(`${id}.${timestamp}.${text}`);
    expect(signature).toBe(`v1,${signed.digest('base64')}`);
    expect(Math.abs(Number(timestamp) - Date.now() / 1000)).toBeLessThan(60);
    expect(body.data.issue).toMatchObject({ issue_id: issueId, is_new: false, service: 'api', status: 'open' });
    expect(body.data).toMatchObject({
      terminal: `faultline browse ${issueId} --url https://errors.example.com`,
      command: `faultline issue ${issueId} --url https://errors.example.com`,
      event_url: expect.stringMatching(/^https:\/\/errors\.example\.com\/api\/v1\/events\/[0-9a-f-]{36}$/),
    });
    await waitFor('the account', async () => (await webhookStats(collector)).sent === 2);
    expect(await webhookStats(collector)).toEqual({
      destination: `http://127.0.0.1:${receiver.port}`,
      waiting: 0,
      oldest_age_ms: 0,
      sent: 2,
      lost: 0,
      retention_held: false,
      failing: false,
      last_error: null,
    });
  });

  it('reports a regressed issue, and no issue that existed before the webhook was configured', async () => {
    const [receiver, directory] = [await startReceiver(), await temporaryFolder()];
    const before = await startService(
      callingSettings(directory, receiver.url, 'service.pipelines.events.exporters=[store]'),
    );
    const [issueId = ''] = await send(before, kindOfFailure(1));
    await before.service.shutdown();
    const collector = await startService(callingSettings(directory, receiver.url));
    await send(collector, kindOfFailure(1));
    await act(collector, issueId, { action: 'resolve' });
    await send(collector, kindOfFailure(1));
    await waitFor('the alert', () => receiver.calls.length === 1);
    expect(receiver.calls[0]?.body).toMatchObject({
      type: 'issue.regressed',
      data: { issue: { issue_id: issueId, regressed: true, count: 3 } },
    });
    expect(receiver.calls[0]?.body.data).not.toHaveProperty('terminal');
  });

  it('reports only what `on` and `query` select', async () => {
    const receiver = await startReceiver();
    const collector = await startService(
      callingSettings(
        await temporaryFolder(),
        receiver.url,
        'exporters.webhook.on=[new]',
        'exporters.webhook.query=level:fatal',
      ),
    );
    const [quiet = ''] = await send(collector, kindOfFailure(1));
    await act(collector, quiet, { action: 'resolve' });
    await send(collector, kindOfFailure(1));
    const [loud] = await send(collector, kindOfFailure(2, { level: 'fatal' }));
    await waitFor('the alert', () => receiver.calls.length === 1);
    expect(receiver.calls[0]?.body.data.issue.issue_id).toBe(loud);
  });

  it('reports a spike once, over a restart, and again only after it has ended', async () => {
    const [receiver, directory] = [await startReceiver(), await temporaryFolder()];
    const settings = callingSettings(directory, receiver.url, 'exporters.webhook.on=[spiking]');
    const first = await startService(settings);
    for (let hours = 12; hours > 1; hours -= 1) await send(first, ...hoursAgo(hours, 1));
    await send(first, ...hoursAgo(0, 200));
    await waitFor('the spike', () => receiver.calls.length === 1);
    expect(receiver.calls[0]?.body).toMatchObject({ type: 'issue.spiking', data: { issue: { spiking: true } } });
    await send(first, ...hoursAgo(0, 10));
    await first.service.shutdown();
    const second = await startService(settings);
    await send(second, ...hoursAgo(0, 10));
    // Earlier events raise the baseline, which ends the spike without waiting.
    for (let hours = 12; hours > 0; hours -= 1) await send(second, ...hoursAgo(hours, 300));
    await waitFor('its end to be written down', async () => {
      const [, text = ''] = (await readFile(join(directory, 'cursors', 'webhook.note'), 'utf8')).split('\n');
      return JSON.parse(text).spikes.length === 0;
    });
    expect(receiver.calls).toHaveLength(1);
    for (let portion = 0; portion < 6; portion += 1) await send(second, ...hoursAgo(0, 1_000));
    await waitFor('the next spike', () => receiver.calls.length === 2);
    expect(typesOf(receiver)).toEqual(['issue.spiking', 'issue.spiking']);
    expect(new Set(receiver.calls.map(({ headers }) => headers['webhook-id'])).size).toBe(2);
  });

  it('reports alerts above its rate in one message', async () => {
    const receiver = await startReceiver();
    const settings = callingSettings(
      await temporaryFolder(),
      receiver.url,
      'exporters.webhook.max_alerts_per_minute=2',
    );
    const collector = await startService(settings);
    await send(collector, ...Array.from({ length: 30 }, (_, kind) => kindOfFailure(kind)));
    await waitFor('the first ones', async () => (await webhookStats(collector)).sent === 2);
    expect(typesOf(receiver)).toEqual(['issue.new', 'issue.new']);
    expect(await webhookStats(collector)).toMatchObject({ waiting: 28, failing: false });
  });

  it('reports alerts above its queue limit in one message, for any content of the events', async () => {
    const receiver = await startReceiver();
    receiver.respond = () => ({ status: 503 });
    const settings = callingSettings(await temporaryFolder(), receiver.url, 'exporters.webhook.format=slack');
    const collector = await startService(settings);
    const hostile = { message: '<!channel> \u202e\u001b[2J @here', service: '<@U1>`' };
    await send(collector, kindOfFailure(0, hostile));
    await waitFor('the first to be told in vain', () => receiver.calls.length > 0);
    for (const from of [1, 601]) {
      await send(collector, ...Array.from({ length: 600 }, (_, kind) => kindOfFailure(from + kind, hostile)));
    }
    await waitFor('all to wait', async () => (await webhookStats(collector)).waiting === 1_201);
    receiver.respond = () => ({ status: 200 });
    // Saves the queue several times, which is slow on a busy disk.
    await waitFor('all', async () => {
      const { sent, waiting, lost, last_error } = await webhookStats(collector);
      if (sent !== 1_201) throw new Error(JSON.stringify({ sent, waiting, lost, last_error }));
      return true;
    });
    const last = receiver.calls.at(-1);
    expect(last?.body).toMatchObject({ text: '1200 alerts: 1200 new', blocks: { length: 12 } });
    expect(last?.body.blocks[11].text.text).toBe('and 1190 more');
    expect(last?.text).not.toMatch(/[<>\u202e]|\\u001b|@here/);
  });
});
