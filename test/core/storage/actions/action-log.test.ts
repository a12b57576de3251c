import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { toIssueId } from '../../../../core/event/ids.js';
import {
  ACTION_LOG,
  type ActionRecord,
  type NewAction,
  openActionLog,
} from '../../../../core/storage/actions/action-log.js';
import { readLog } from '../../../../core/storage/record/io/read-log.js';
import { ArrivalClock } from '../../../../core/storage/record/partitions/arrival-clock.js';
import { removeTemporaryFolders, temporaryFolder } from '../../../helpers/temporary-folder.js';
import { unsyncedFiles } from '../../../helpers/unsynced-files.js';
import { failingFiles } from '../record/failing-files.js';
import { TEN_O_CLOCK_MS } from '../ten-o-clock.js';

const ISSUE = toIssueId('6f1c4d62-7a3c-5a51-9d1e-0c9b1d6a2f11');

afterAll(removeTemporaryFolders);

function newAction(changes: Partial<NewAction> = {}): NewAction {
  if (ISSUE === undefined) throw new Error('no issue id');
  return { action: 'resolve', issueId: ISSUE, actor: 'ada', data: { in: 'next_release' }, ...changes };
}

const tenOClock = () => new ArrivalClock({ nowMs: () => TEN_O_CLOCK_MS });
const pathOf = (directory: string): string => join(directory, 'actions.ndjson');

describe('the action log', () => {
  it('returns when the action is durable, dated by the store clock', async () => {
    const directory = await temporaryFolder();
    const clock = tenOClock();
    const log = await openActionLog({ directory, files: unsyncedFiles, clock });
    expect(log.actionsAtOpen).toEqual([]);
    const first = await log.append(newAction());
    const between = clock.next();
    const second = await log.append(newAction({ action: 'comment', actor: null, data: { text: '\n"🔥' } }));

    expect(first.atMicros).toBe(TEN_O_CLOCK_MS * 1000);
    expect(second.atMicros).toBe(between + 1);
    expect(first.id).toMatch(/^01a1fd8c-6900-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
    const lines = (await readFile(pathOf(directory), 'utf8')).split('\n');
    expect(lines[0]).toBe(
      `{"id":"${first.id}","at":"2026-11-21T10:00:00.000000Z","action":"resolve","issue_id":"${ISSUE}","actor":"ada","data":{"in":"next_release"}}`,
    );
    expect((await readLog({ directory, files: unsyncedFiles }, ACTION_LOG)).lines).toEqual([first, second]);
    await log.close();
    await log.close();
    await expect(log.append(newAction())).rejects.toMatchObject({ code: 'STORE_CLOSING', retryable: true });
  });

  it('writes in the order of calls and holds the clock above its last action', async () => {
    const directory = await temporaryFolder();
    const log = await openActionLog({ directory, files: unsyncedFiles, clock: tenOClock() });
    const running = ['a', 'b', 'c'].map((action) => log.append(newAction({ action })));
    await log.close();
    const written = await Promise.all(running);
    const clock = new ArrivalClock({ nowMs: () => 0 });
    const again = await openActionLog({ directory, files: unsyncedFiles, clock });
    expect(again.actionsAtOpen).toEqual(written);
    expect(written.map(({ action }) => action)).toEqual(['a', 'b', 'c']);
    expect((await again.append(newAction())).atMicros).toBe((written[2]?.atMicros ?? 0) + 1);
    await again.close();
  });

  it('ignores a torn last line when it reads, and cuts it when it writes', async () => {
    const directory = await temporaryFolder();
    const log = await openActionLog({ directory, files: unsyncedFiles, clock: tenOClock() });
    const kept = await log.append(newAction());
    await log.close();
    const whole = await readFile(pathOf(directory), 'utf8');
    for (let length = 1; length < whole.length; length += 17) {
      await writeFile(pathOf(directory), whole + whole.slice(0, length));
      expect((await readLog({ directory, files: unsyncedFiles }, ACTION_LOG)).lines).toEqual([kept]);
      const again = await openActionLog({ directory, files: unsyncedFiles, clock: tenOClock() });
      const added = await again.append(newAction({ action: 'reopen' }));
      await again.close();
      expect((await readLog({ directory, files: unsyncedFiles }, ACTION_LOG)).lines).toEqual([kept, added]);
    }
    const copies = await readdir(join(directory, 'salvage'));
    expect(copies[0]).toMatch(/^actions\.ndjson-\d+(\.\d+)?\.bin$/);
  });

  it('reports lines that are not actions and loads the others', async () => {
    const directory = await temporaryFolder();
    const log = await openActionLog({ directory, files: unsyncedFiles, clock: tenOClock() });
    const one = await log.append(newAction());
    await log.close();
    await writeFile(pathOf(directory), '{"id":"x"}\n\nnull\n', { flag: 'a' });
    const faults: unknown[] = [];
    const again = await openActionLog({
      directory,
      files: unsyncedFiles,
      clock: tenOClock(),
      onFault: (fault) => faults.push(fault),
    });
    expect(again.actionsAtOpen).toEqual([one]);
    expect(faults).toMatchObject(Array(3).fill({ code: 'RECORD_DAMAGED' }));
    const two = await again.append(newAction());
    await again.close();
    expect((await readLog({ directory, files: unsyncedFiles }, ACTION_LOG)).lines).toEqual([one, two]);
  });

  it('rejects an action that is too large and continues', async () => {
    const directory = await temporaryFolder();
    const log = await openActionLog({ directory, files: unsyncedFiles, clock: tenOClock() });
    const text = 'x'.repeat(256 * 1024);
    await expect(log.append(newAction({ data: { text } }))).rejects.toMatchObject({ code: 'ACTION_TOO_LARGE' });
    const kept = await log.append(newAction());
    await log.close();
    expect((await readLog({ directory, files: unsyncedFiles }, ACTION_LOG)).lines).toEqual([kept]);
  });

  it('stores nothing of an action if any disk call fails', async () => {
    const run = async (at: number, times: number): Promise<number> => {
      const directory = await temporaryFolder();
      const files = failingFiles(unsyncedFiles);
      const log = await openActionLog({ directory, files, clock: tenOClock() });
      const kept: ActionRecord[] = [];
      files.arm({ code: 'ENOSPC', at, times });
      for (const action of ['a', 'b']) {
        await log.append(newAction({ action })).then(
          (record) => kept.push(record),
          (error: unknown) => expect(error).toMatchObject({ code: 'STORE_UNAVAILABLE', retryable: true }),
        );
      }
      const { calls } = files;
      files.arm();
      kept.push(await log.append(newAction({ action: 'after' })));
      await log.close();
      expect(files.openFiles).toBe(0);
      expect(files.resyncs).toBe(0);
      expect((await readLog({ directory, files: unsyncedFiles }, ACTION_LOG)).lines).toEqual(kept);
      return calls;
    };
    const calls = await run(Number.POSITIVE_INFINITY, 1);
    expect(calls).toBeGreaterThan(4);
    for (let at = 0; at < calls; at += 1) {
      for (const times of [1, 3, 20]) await run(at, times);
    }
  });

  it('is empty without a folder', async () => {
    const directory = join(await temporaryFolder(), 'absent');
    expect(await readLog({ directory, files: unsyncedFiles }, ACTION_LOG)).toEqual({ lines: [], end: 0 });
  });
});
