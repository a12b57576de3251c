import { readFile } from 'node:fs/promises';
import { post } from '../collector/post.js';
import {
  collectArguments,
  killLeftoverProcesses,
  type RunningCollector,
  runFaultline,
  startCollector,
  stop,
} from '../helpers/faultline-process.js';
import { kindOfFailure, serverPayload } from '../helpers/payloads.js';
import { removeTemporaryFolders, temporaryFolder } from '../helpers/temporary-folder.js';

afterAll(async () => {
  killLeftoverProcesses();
  await removeTemporaryFolders();
});

async function send(collector: RunningCollector, payloads: unknown) {
  const { status, body } = await post(`${collector.ingestUrl}/v1/events`, JSON.stringify(payloads));
  expect(status).toBe(200);
  return body.events ?? [];
}

describe('faultline collect', () => {
  it('stores failures that reading commands print equally from the collector and from its folder, and stops at SIGTERM', async () => {
    const directory = await temporaryFolder();
    const collector = await startCollector(directory);
    const [first, second, third] = await send(collector, [
      serverPayload(),
      serverPayload({ message: 'quantity 99 of SKU-1 exceeds the limit' }),
      kindOfFailure(3),
    ]);
    const overHttp = await runFaultline(['event', String(first?.event_id), '--url', collector.queryUrl]);
    expect(overHttp).toMatchObject({ code: 0, stderr: '' });
    expect(overHttp.stdout).toContain(`File: ${first?.raw.path} (line 0)`);
    expect(await runFaultline(['event', String(first?.event_id), '--data', directory])).toEqual(overHttp);
    const listed = await runFaultline(['issues', '--json', '--url', collector.queryUrl, '--sort', 'count']);
    expect(JSON.parse(listed.stdout)).toMatchObject({
      total: 2,
      issues: [
        { issue_id: first?.issue_id, count: 2 },
        { issue_id: third?.issue_id, count: 1 },
      ],
    });
    const events = await runFaultline(['events', String(first?.issue_id), '--json', '--data', directory]);
    expect(JSON.parse(events.stdout)).toMatchObject({
      events: [{ event_id: second?.event_id }, { event_id: first?.event_id }],
    });
    expect(await stop(collector)).toMatchObject({ code: 0, signal: null });
    const [line = ''] = (await readFile(String(first?.raw.path), 'utf8')).split('\n');
    expect(JSON.parse(line)).toEqual(serverPayload());
  });

  it('exits with 1 on the folder of a running collector and names its process', async () => {
    const directory = await temporaryFolder();
    const first = await startCollector(directory);
    const second = await runFaultline(collectArguments(directory));
    expect(second.code).toBe(1);
    expect(second.stderr).toContain(`in use by process ${first.child.pid} on `);
    await stop(first);
  });
});
