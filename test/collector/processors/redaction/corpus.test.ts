import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { removeTemporaryFolders, temporaryFolder } from '../../../helpers/temporary-folder.js';
import { waitFor } from '../../../helpers/wait-for.js';
import { settingsFor, startService } from '../../running-service.js';

interface SecretLine {
  readonly secret: string;
  readonly event: Record<string, unknown>;
}

const folder = join(import.meta.dirname, '../../../fixtures/redaction');
const linesOf = (name: string): string[] => readFileSync(join(folder, name), 'utf8').trimEnd().split('\n');
const secrets = linesOf('secrets.ndjson').map((line): SecretLine => JSON.parse(line));
const lookAlikes = linesOf('look-alikes.ndjson');

function filesUnder(directory: string): string[] {
  return readdirSync(directory, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name));
}

afterAll(removeTemporaryFolders);

describe('a collector with redaction', () => {
  const asJson = (secret: string): string => JSON.stringify(secret).slice(1, -1);
  let directory = '';
  let statuses: number[] = [];

  beforeAll(async () => {
    directory = await temporaryFolder();
    const { service, eventsUrl } = await startService(
      settingsFor(directory, 'processors.redaction={}', 'service.pipelines.events.processors=[redaction]'),
    );
    const post = async (lines: string[]): Promise<number> => {
      const headers = { 'content-type': 'application/x-ndjson' };
      return (await fetch(eventsUrl, { method: 'POST', headers, body: lines.join('\n') })).status;
    };
    const broken = secrets.map(({ event }) => JSON.stringify({ ...event, tags: 7, sent_tags: event['tags'] }));
    statuses = [
      await post([...secrets.map(({ event }) => JSON.stringify(event)), ...lookAlikes]),
      await post(broken),
      await post(broken.map((line) => line.slice(0, -1))),
    ];
    await waitFor('the dead letters', () => filesUnder(directory).some((file) => file.endsWith('rejected.ndjson')));
    await service.shutdown();
  });

  it('accepts all events and rejects invalid ones', () => {
    expect([secrets.length, lookAlikes.length]).toEqual([200, 200]);
    expect(statuses).toEqual([200, 422, 422]);
  });

  it('leaves none of 200 secrets in any file, dead letters included', () => {
    const files = filesUnder(directory).map((file) => readFileSync(file, 'utf8'));
    const found = secrets.filter(({ secret }) =>
      files.some((text) => text.includes(secret) || text.includes(asJson(secret))),
    );
    expect(files.some((text) => text.includes('EVENT_INVALID'))).toBe(true);
    expect(found).toEqual([]);
  });

  it('leaves 200 harmless look-alikes byte for byte', () => {
    const raw = filesUnder(directory).filter((file) => file.endsWith('raw.ndjson'));
    const stored = new Set(raw.flatMap((file) => readFileSync(file, 'utf8').split('\n')));
    expect(lookAlikes.filter((line) => !stored.has(line))).toEqual([]);
  });
});
