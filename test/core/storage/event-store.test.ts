import { appendFile, readFile, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { toIssueId } from '../../../core/event/ids.js';
import type { RawPayload } from '../../../core/event/raw-payload.js';
import { type EventStore, openEventStore } from '../../../core/storage/event-store.js';
import type { EventStoreOptions } from '../../../core/storage/event-store-options.js';
import { openFolderReader } from '../../../core/storage/folder-reader.js';
import { missing } from '../../helpers/missing.js';
import { kindOfFailure, serverPayload } from '../../helpers/payloads.js';
import { removeTemporaryFolders, temporaryFolder } from '../../helpers/temporary-folder.js';
import { waitFor } from '../../helpers/wait-for.js';
import { computeFingerprint } from '../fingerprint/compute-fingerprint.js';

afterAll(removeTemporaryFolders);

const fingerprint = computeFingerprint;

async function open(directory: string, changes: Partial<EventStoreOptions> = {}): Promise<EventStore> {
  const onFault = (fault: Error): never => {
    throw fault;
  };
  return await openEventStore({ directory, onFault, ...changes });
}

const fingerprinted = (...payloads: RawPayload[]) =>
  payloads.map((payload) => ({ payload, fingerprint: fingerprint(payload) }));

describe('a stored event', () => {
  it('is readable at once, by its id, through its issue and at its address', async () => {
    const store = await open(await temporaryFolder());
    const [stored] = await store.append(fingerprinted(serverPayload()));
    if (stored === undefined) throw new Error('nothing was stored');
    expect(stored.event_id).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
    const lines = (await readFile(stored.raw.path, 'utf8')).split('\n');
    expect(JSON.parse(lines[stored.raw.line] ?? '')).toEqual(serverPayload());
    expect(await store.reader.getEvent(stored.event_id)).toMatchObject({
      issue_id: stored.issue_id,
      raw: { ...stored.raw, payload: serverPayload() },
    });
    expect(await store.reader.listEvents(stored.issue_id)).toMatchObject({
      events: [{ event_id: stored.event_id }],
      next_cursor: null,
    });
    await store.close();
  });

  it('is in the partition of the hour of its receipt, also when the hour changes under load', async () => {
    let nowMs = Date.parse('2026-03-01T11:59:59.990Z');
    const store = await open(await temporaryFolder(), { nowMs: () => nowMs });
    const appended = await Promise.all(
      Array.from({ length: 40 }, async (_, index) => {
        const append = store.append(
          fingerprinted(
            serverPayload({ request_id: `r-${index}` }),
            serverPayload({ env: 'staging', request_id: `s-${index}` }),
          ),
        );
        nowMs += 1;
        return await append;
      }),
    );
    const late = await store.append(fingerprinted(serverPayload()));
    const paths = new Set(
      [...appended.flat(), ...late].map(({ raw }) => raw.path.slice(-'2026/03/01/11/raw.ndjson'.length)),
    );
    expect([...paths].sort()).toEqual(['2026/03/01/11/raw.ndjson', '2026/03/01/12/raw.ndjson']);
    for (const stored of appended.flat()) {
      expect(await store.reader.getEvent(stored.event_id)).toMatchObject({
        event_id: stored.event_id,
        raw: stored.raw,
      });
    }
    const ids = appended.map(([first]) => String(first?.event_id));
    expect([...ids].sort()).toEqual(ids);
    await store.close();
  });

  it('keeps arrival order and partition when the clock goes back', async () => {
    let nowMs = Date.parse('2026-03-01T12:00:00.500Z');
    const directory = await temporaryFolder();
    let store = await open(directory, { nowMs: () => nowMs });
    const [before] = await store.append(fingerprinted(serverPayload()));
    nowMs -= 5000;
    const [after] = await store.append(fingerprinted(serverPayload()));
    await store.close();
    store = await open(directory, { nowMs: () => nowMs });
    const [reopened] = await store.append(fingerprinted(serverPayload()));
    expect([before, after, reopened].map((one) => one?.raw.line)).toEqual([0, 1, 2]);
    const ids = [before, after, reopened].map((one) => String(one?.event_id));
    expect([...ids].sort()).toEqual(ids);
    await store.close();
  });
});

describe('an index', () => {
  it('that was deleted is rebuilt with the same ids, fingerprints, timestamps, issues, counts and states', async () => {
    const directory = await temporaryFolder();
    let store = await open(directory);
    for (let batch = 0; batch < 12; batch += 1) {
      const payloads = Array.from({ length: 100 }, (_, index) =>
        kindOfFailure((batch * index) % 37, {
          env: `e${index % 3}`,
          timestamp: index % 2 === 0 ? null : '2026-11-20T10:11:12.5+02:00',
          request_id: `${batch}-${index}`,
        }),
      );
      await store.append(fingerprinted(...payloads));
      if (batch === 6) await store.checkpoint();
    }
    const first = (await store.reader.listIssues()).issues[0];
    if (first === undefined) throw new Error('no issue');
    await store.act(first.issue_id, { action: 'resolve', actor: 'ada' });
    const live = await everything(store);
    expect(live.issues.find((issue) => issue.issue_id === first.issue_id)).toMatchObject({ status: 'resolved' });
    await store.close();
    for (const gone of ['nothing', 'index']) {
      await rm(join(directory, gone), { recursive: true, force: true });
      store = await open(directory);
      expect(await everything(store)).toEqual(live);
      await store.close();
    }
    const reader = await openFolderReader({ directory });
    expect((await reader.listIssues({ limit: 500, sort: 'count' })).issues).toEqual(live.issues);
    await reader.close();
  });

  it('is followed by a reader in another process, which does not lock or write', async () => {
    const directory = await temporaryFolder();
    const store = await open(directory);
    await store.append(fingerprinted(kindOfFailure(1)));
    const reader = await openFolderReader({ directory });
    expect((await reader.listIssues()).total).toBe(1);
    const [second] = await store.append(fingerprinted(kindOfFailure(2)));
    await waitFor('the reader to see the second issue', async () => (await reader.listIssues()).total === 2);
    expect(await reader.getEvent(second?.event_id ?? missing())).toMatchObject({ event_id: second?.event_id });
    await store.close();
    await reader.close();
  });
});

describe('a resolved issue', () => {
  it('regresses with the next event', async () => {
    const store = await open(await temporaryFolder());
    const [stored] = await store.append(fingerprinted(serverPayload()));
    const issueId = stored?.issue_id ?? missing();
    await store.act(issueId, { action: 'resolve' });
    expect(await store.reader.getIssue(issueId)).toMatchObject({
      status: 'resolved',
      regressed: false,
      history: [{ action: 'resolve' }],
    });
    await store.append(fingerprinted(serverPayload()));
    expect(await store.reader.getIssue(issueId)).toMatchObject({ status: 'open', regressed: true, count: 2 });
    await store.close();
  });
});

describe('a torn tail', () => {
  it('is cut and saved; complete lines without a response are adopted and reported as recovered', async () => {
    const directory = await temporaryFolder();
    let store = await open(directory);
    const [stored] = await store.append(fingerprinted(serverPayload({ request_id: 'acknowledged' })));
    await store.close();
    const raw = stored?.raw.path ?? missing();
    const whole = `${JSON.stringify(serverPayload({ request_id: 'unacknowledged' }))}\n`;
    await appendFile(raw, `${whole}{"app":"sh`);
    const faults: unknown[] = [];
    store = await open(directory, { onFault: (fault) => faults.push(fault) });
    expect(faults).toEqual([expect.objectContaining({ code: 'LINES_ADOPTED' })]);
    const recovered: string[] = [];
    for await (const line of store.recoveredLines()) recovered.push(`${line.toString()}\n`);
    expect(recovered).toEqual([whole]);
    expect((await store.reader.stats()).events).toBe(2);
    await store.close();
    expect((await readFile(raw, 'utf8')).split('\n')).toHaveLength(3);
    expect((await stat(join(directory, 'salvage'))).isDirectory()).toBe(true);
  });
});

async function everything(store: EventStore) {
  const { issues, total } = await store.reader.listIssues({ limit: 500, sort: 'count' });
  const details = await Promise.all(issues.map((issue) => store.reader.getIssue(issue.issue_id)));
  const events = await Promise.all(
    issues.map((issue) => store.reader.listEvents(toIssueId(issue.issue_id) ?? missing(), { limit: 500 })),
  );
  const newest = await Promise.all(events.map((page) => store.reader.getEvent(page?.events[0]?.event_id ?? missing())));
  return { issues, total, details, events, newest };
}
