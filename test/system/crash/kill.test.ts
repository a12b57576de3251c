import { readFile } from 'node:fs/promises';
import { post } from '../../collector/post.js';
import { killLeftoverProcesses, startCollector, stop } from '../../helpers/faultline-process.js';
import { kindOfFailure } from '../../helpers/payloads.js';
import { removeTemporaryFolders, temporaryFolder } from '../../helpers/temporary-folder.js';
import { waitFor } from '../../helpers/wait-for.js';

afterAll(async () => {
  killLeftoverProcesses();
  await removeTemporaryFolders();
});

const NDJSON = { 'content-type': 'application/x-ndjson' };

describe('a collector killed with SIGKILL under load', () => {
  it('has every acknowledged event exactly once after a restart, with its id and at its address', async () => {
    const directory = await temporaryFolder();
    const acknowledged = new Map<string, { requestId: string; path: string; line: number; issueId: string }>();
    for (let round = 0; round < 3; round += 1) {
      const collector = await startCollector(directory);
      let sent = 0;
      let killed = false;
      const sender = async (name: number): Promise<void> => {
        while (!killed) {
          const ids = Array.from({ length: 1 + (sent % 7) }, () => `r${round}-${name}-${sent++}`);
          const lines = ids.map((id, index) =>
            JSON.stringify(kindOfFailure(index, { request_id: id, env: index % 2 === 0 ? 'production' : 'staging' })),
          );
          const response = await post(`${collector.ingestUrl}/v1/events`, lines.join('\n'), NDJSON).catch(
            () => undefined,
          );
          for (const event of response?.body.events ?? []) {
            const requestId = ids[event.index];
            if (requestId === undefined) throw new Error('the response has an event that was not sent');
            acknowledged.set(event.event_id, {
              requestId,
              path: event.raw.path,
              line: event.raw.line,
              issueId: event.issue_id,
            });
          }
        }
      };
      const before = acknowledged.size;
      const senders = Array.from({ length: 8 }, (_, name) => sender(name));
      await waitFor('a few hundred responses', () => acknowledged.size > before + 300);
      await stop(collector, 'SIGKILL');
      killed = true;
      await Promise.all(senders);
    }

    const collector = await startCollector(directory);
    const files = new Map<string, string[]>();
    const seen = new Set<string>();
    for (const { requestId, path, line } of acknowledged.values()) {
      if (!files.has(path)) files.set(path, (await readFile(path, 'utf8')).split('\n'));
      const payload: unknown = JSON.parse(files.get(path)?.[line] ?? 'null');
      expect(payload).toMatchObject({ request_id: requestId });
      expect(seen.has(requestId)).toBe(false);
      seen.add(requestId);
    }
    const requestIdsOnDisk = [...files.values()]
      .flat()
      .filter((text) => text !== '')
      .map((text) => String(JSON.parse(text).request_id));
    expect(requestIdsOnDisk.length).toBe(new Set(requestIdsOnDisk).size);

    const sample = [...acknowledged].filter((_, index) => index % 50 === 0);
    for (const [eventId, { requestId, path, line, issueId }] of sample) {
      const response = await fetch(`${collector.queryUrl}/api/v1/events/${eventId}`);
      expect(await response.json()).toMatchObject({
        event_id: eventId,
        issue_id: issueId,
        raw: { path, line, payload: { request_id: requestId } },
      });
    }
    const stats = await (await fetch(`${collector.queryUrl}/api/v1/stats`)).json();
    expect(stats).toMatchObject({ events: requestIdsOnDisk.length });
    expect(await stop(collector)).toMatchObject({ code: 0 });
  });
});
