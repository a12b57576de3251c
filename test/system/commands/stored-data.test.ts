import { rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { post } from '../../collector/post.js';
import {
  killLeftoverProcesses,
  type RunningCollector,
  runFaultline,
  startCollector,
  stop,
} from '../../helpers/faultline-process.js';
import { kindOfFailure, serverPayload } from '../../helpers/payloads.js';
import { removeTemporaryFolders, temporaryFolder } from '../../helpers/temporary-folder.js';

afterAll(async () => {
  killLeftoverProcesses();
  await removeTemporaryFolders();
});

async function send(collector: RunningCollector, payloads: unknown) {
  const { status, body } = await post(`${collector.ingestUrl}/v1/events`, JSON.stringify(payloads));
  expect(status).toBe(200);
  return { events: body.events ?? [] };
}

describe('a failure that was sent over HTTP', () => {
  it('keeps ids, fingerprints, times, issues and counts when the index is deleted', async () => {
    const directory = await temporaryFolder();
    let collector = await startCollector(directory);
    for (let batch = 0; batch < 4; batch += 1) {
      await send(
        collector,
        Array.from({ length: 400 }, (_, index) =>
          kindOfFailure(index % 60, {
            timestamp: index % 3 === 0 ? null : '2026-11-20T10:11:12.5+02:00',
            env: index % 2 === 0 ? 'a' : 'b',
          }),
        ),
      );
    }
    const readAll = async (): Promise<unknown> => {
      const issues = await (await fetch(`${collector.queryUrl}/api/v1/issues?limit=500`)).json();
      const rows: unknown[] = [issues];
      for (const issue of issues.issues) {
        rows.push(await (await fetch(`${collector.queryUrl}/api/v1/issues/${issue.issue_id}`)).json());
        const { events } = await (
          await fetch(`${collector.queryUrl}/api/v1/issues/${issue.issue_id}/events?limit=500`)
        ).json();
        rows.push(events, await (await fetch(`${collector.queryUrl}/api/v1/events/${events[0].event_id}`)).json());
      }
      return rows;
    };
    const live = await readAll();
    expect(await stop(collector)).toMatchObject({ code: 0, signal: null });

    collector = await startCollector(directory);
    expect(await readAll()).toEqual(live);
    expect(await stop(collector)).toMatchObject({ code: 0, signal: null });

    await rm(join(directory, 'index'), { recursive: true });
    collector = await startCollector(directory);
    expect(await readAll()).toEqual(live);
    expect(await stop(collector)).toMatchObject({ code: 0, signal: null });

    // A data folder may be moved.
    const moved = join(await temporaryFolder(), 'moved');
    await rename(directory, moved);
    const { code, stdout } = await runFaultline(['issues', '--json', '--limit', '500', '--data', moved]);
    expect(code).toBe(0);
    expect(JSON.parse(stdout)).toEqual((live as unknown[])[0]);
  });
});

describe('names that look like paths', () => {
  it('have different paths inside the data folder, and are returned as sent', async () => {
    const directory = await temporaryFolder();
    const collector = await startCollector(directory);
    const names = [
      '../../etc',
      'a/b',
      'a%2Fb',
      '.',
      '..',
      '',
      'x'.repeat(300),
      `${'x'.repeat(299)}y`,
      'nul\u0000',
      '🙂',
      'A',
      'a',
      '~',
      'C:\\temp',
    ];
    const sent = await send(
      collector,
      names.map((name) => serverPayload({ app: name, service: name, env: name })),
    );
    const paths = sent.events.map((event) => event.raw.path);
    expect(new Set(paths).size).toBe(names.length);
    expect(paths.filter((path) => !path.startsWith(join(directory, 'raw')))).toEqual([]);
    for (const [index, event] of sent.events.entries()) {
      const { normalized } = await (await fetch(`${collector.queryUrl}/api/v1/events/${event.event_id}`)).json();
      expect(normalized).toMatchObject({ app: names[index], service: names[index], env: names[index] });
    }
    expect(await stop(collector)).toMatchObject({ code: 0, signal: null });
  });
});
