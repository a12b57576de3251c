import { appendFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type IssueId, toIssueId } from '../../../../core/event/ids.js';
import { openActionLog } from '../../../../core/storage/actions/action-log.js';
import { openFollowingActions } from '../../../../core/storage/folder-reader.js';
import { followGroupings } from '../../../../core/storage/groupings/grouping-log.js';
import { ArrivalClock } from '../../../../core/storage/record/partitions/arrival-clock.js';
import { removeTemporaryFolders, temporaryFolder } from '../../../helpers/temporary-folder.js';
import { unsyncedFiles } from '../../../helpers/unsynced-files.js';

afterAll(removeTemporaryFolders);

function issueId(text: string): IssueId {
  const id = toIssueId(text);
  if (id === undefined) throw new Error('no issue id');
  return id;
}

const ONE = issueId('6f1c4d62-7a3c-5a51-9d1e-0c9b1d6a2f11');
const OTHER = issueId('6f1c4d62-7a3c-5a51-9d1e-0c9b1d6a2f12');

describe('the actions of a folder that another process writes', () => {
  it('are those of the log, and later ones after a refresh', async () => {
    const directory = await temporaryFolder();
    const faults: Error[] = [];
    const groupings = followGroupings({ directory, files: unsyncedFiles });
    const options = { directory, files: unsyncedFiles, groupings };
    const empty = await openFollowingActions(options);
    expect(empty.of(ONE)).toEqual([]);

    const log = await openActionLog({ ...options, clock: new ArrivalClock() });
    await log.append({ action: 'resolve', issueId: ONE, actor: 'ada', data: {} });
    await log.append({ action: 'ignore', issueId: OTHER, actor: 'ada', data: {} });
    await appendFile(join(directory, 'actions.ndjson'), 'no action\n');
    const actions = await openFollowingActions({ ...options, onFault: (fault) => faults.push(fault) });
    expect(actions.of(ONE)).toMatchObject([{ action: 'resolve', actor: 'ada' }]);
    expect(actions.of(OTHER)).toMatchObject([{ action: 'ignore' }]);
    expect(faults).toMatchObject([{ code: 'RECORD_DAMAGED' }]);

    const line = { id: 'x', at: '2026-11-21T10:00:00.000000Z', action: 'reopen', issue_id: ONE, actor: null, data: {} };
    await appendFile(join(directory, 'actions.ndjson'), `${JSON.stringify(line)}\n`);
    await actions.refresh();
    await empty.refresh();
    expect(actions.of(ONE).map((action) => action.action)).toEqual(['resolve', 'reopen']);
    expect(empty.of(ONE)).toEqual(actions.of(ONE));
    expect(faults.length).toBe(1);
    await log.close();
  });
});
