import { openEmbeddedCollector } from '../../collector/run/embedded-collector.js';
import type { IssueId } from '../../core/event/ids.js';
import { openFolderReader } from '../../core/storage/folder-reader.js';
import { serverPayload } from '../helpers/payloads.js';
import { removeTemporaryFolders, temporaryFolder } from '../helpers/temporary-folder.js';
import { post } from './post.js';
import { settingsFor, startService } from './running-service.js';

afterAll(removeTemporaryFolders);

const RULES = 'grouping.rules=[{name: one, fingerprint: [everything]}]';

/** The fingerprint of an event in a collector with these settings. */
async function fingerprintOf(directory: string, ...sets: string[]): Promise<string | undefined> {
  const { service, eventsUrl } = await startService(settingsFor(directory, ...sets));
  const { body } = await post(eventsUrl, JSON.stringify(serverPayload()));
  await service.shutdown();
  return body.events?.[0]?.fingerprint;
}

describe('the rules of a configuration', () => {
  it('group new events from the start on, and no longer when they are removed', async () => {
    const directory = await temporaryFolder();
    const ruled = await fingerprintOf(directory, RULES);
    const plain = await fingerprintOf(directory);
    expect(plain).not.toBe(ruled);
    expect(await fingerprintOf(directory, RULES)).toBe(ruled);
  });

  it('do not affect a folder of `faultline run`, which has no rules of its own', async () => {
    const directory = await temporaryFolder();
    const ruled = await fingerprintOf(directory, RULES);
    const defaults = { app: 'shop', service: 'api', env: 'production' };
    const source = { command: ['x'], program: 'x', cwd: directory, overrides: {}, defaults };
    const { endpoints, close } = await openEmbeddedCollector(directory, source);
    await post(`${endpoints.url}/v1/events`, JSON.stringify(serverPayload({ error_name: 'OtherError' })));
    await close();
    const reader = await openFolderReader({ directory });
    const { issues } = await reader.listIssues();
    await reader.close();
    expect(issues.map(({ fingerprint, count }) => ({ fingerprint, count }))).toEqual([
      { fingerprint: ruled, count: 2 },
    ]);
  });
});

it('explain two merged issues as merged, each by its own event', async () => {
  const directory = await temporaryFolder();
  const { service, eventsUrl, apiUrl } = await startService(settingsFor(directory));
  try {
    const log = { stack: null, error_name: 'PoolError' };
    const payloads = ['no connection', 'reset by peer'].map((message) => serverPayload({ ...log, message }));
    const { body } = await post(eventsUrl, JSON.stringify(payloads));
    const [a, b] = (body.events ?? []).map(({ issue_id }) => issue_id as IssueId);
    const merged = await fetch(`${apiUrl}/issues/${a}/actions`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ action: 'merge', issues: [b] }),
    });
    expect(merged.status).toBe(200);
    const response = await (await fetch(`${apiUrl}/explain?a=${a}&b=${b}`)).json();
    expect(response).toMatchObject({
      same: true,
      a: { issue_id: a, title: 'PoolError: no connection' },
      b: { id: b, issue_id: a, title: 'PoolError: reset by peer' },
      suggestion: null,
      note: expect.stringContaining('merged'),
    });
  } finally {
    await service.shutdown();
  }
});
