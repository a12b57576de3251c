import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type RawPayload, weightOf } from '../../../../core/event/raw-payload.js';
import type { IssuePage } from '../../../../generated/reader-answers.js';
import { kindOfFailure, serverPayload } from '../../../helpers/payloads.js';
import { removeTemporaryFolders, temporaryFolder } from '../../../helpers/temporary-folder.js';
import { settingsFor, startService } from '../../running-service.js';

afterAll(removeTemporaryFolders);

const STORM = 4_000;
const RARE = 100;
const REQUESTS = 20;

/** Events of one failure, with rare ones between them. */
function* requests(): Generator<string> {
  for (let request = 0; request < REQUESTS; request += 1) {
    const lines: RawPayload[] = [];
    for (let event = 0; event < STORM / REQUESTS; event += 1) {
      lines.push(serverPayload({ request_id: `${request}-${event}` }));
      if (event % ((STORM / REQUESTS) * (REQUESTS / RARE)) === 7)
        lines.push(kindOfFailure(lines.length + request * 2_000));
    }
    yield lines.map((line) => JSON.stringify(line)).join('\n');
  }
}

async function storedPayloads(directory: string): Promise<RawPayload[]> {
  const paths = await readdir(join(directory, 'raw'), { recursive: true });
  const files = paths.filter((path) => path.endsWith('raw.ndjson'));
  const texts = await Promise.all(files.map((path) => readFile(join(directory, 'raw', path), 'utf8')));
  return texts.flatMap((text) => text.split('\n').filter((line) => line !== '')).map((line) => JSON.parse(line));
}

describe('a storm of one failure beside rare ones', () => {
  it.each([
    ['rate_limit', '{max_events: 50}', 50 + REQUESTS],
    ['sample', '{keep_first: 50, keep_one_in: 200}', 50 + STORM / 200 + REQUESTS],
  ])('in a collector with %s has exact counts, all rare events, and a bounded record', async (type, own, most) => {
    const directory = await temporaryFolder();
    const settings = settingsFor(
      directory,
      `processors.${type}=${own}`,
      `service.pipelines.events.processors=[${type}]`,
    );
    const { service, eventsUrl, apiUrl } = await startService(settings);
    const headers = { 'content-type': 'application/x-ndjson', prefer: 'return=minimal' };
    const responses = await Promise.all(
      [...requests()].map(async (body) => {
        const response = await fetch(eventsUrl, { method: 'POST', body, headers });
        return [response.status, await response.json()];
      }),
    );
    expect(responses).toEqual(
      Array(REQUESTS).fill([200, expect.objectContaining({ accepted: STORM / REQUESTS + RARE / REQUESTS })]),
    );
    const stats = await (await fetch(`${apiUrl}/stats`)).json();
    await service.shutdown();

    const stored = await storedPayloads(directory);
    const storm = stored.filter(({ error_name }) => error_name === 'ValidationError');
    expect(storm.reduce((sum, { extra }) => sum + weightOf(extra), 0)).toBe(STORM);
    expect(storm.length).toBeLessThanOrEqual(most);
    expect(stored.length - storm.length).toBe(RARE);
    const ledger = stats.receivers.events;
    expect(ledger).toMatchObject({ received: STORM + RARE, sampled: expect.any(Number) });
    expect(ledger.stored + ledger.sampled).toBe(STORM + RARE);

    const again = await startService(settings);
    try {
      const page = (await (await fetch(`${again.apiUrl}/issues?limit=500`)).json()) as IssuePage;
      expect(page.issues).toHaveLength(1 + RARE);
      const counts = page.issues.map(({ count }) => count).sort((one, other) => other - one);
      expect(counts).toEqual([STORM, ...Array(RARE).fill(1)]);
    } finally {
      await again.service.shutdown();
    }
  });
});
