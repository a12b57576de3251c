import type { FingerprintValue, IssueId } from '../../../../core/event/ids.js';
import type { IssueRemoval } from '../../../../core/storage/index/content/removal.js';
import { DocumentFields } from '../../../../core/storage/index/documents/document-fields.js';
import { NO_USERS } from '../../../../core/storage/index/segments/user-sketch.js';
import { decodeIssueLine, encodeIssueLine } from '../../../../core/storage/retention/issue-line.js';

const REMOVAL: IssueRemoval = {
  ...{ issueId: '4c1f4d51-5a0e-5d0c-9d3a-0d1f5b0a9d11' as IssueId, app: 'shop', service: 'api' },
  ...{ fingerprint: 'c5a1f8ee21a472d95167a0151866dbe0' as FingerprintValue, fingerprintVersion: 3 },
  ...{ title: 'A: x', culprit: null, errorName: 'A', message: 'x', level: 'error', type: 'exception' },
  ...{ firstSeenMs: 0, firstSeenNanos: 0, lastSeenMs: 0, lastSeenNanos: 0 },
  ...{ firstReceivedAtMicros: 1, lastReceivedAtMicros: 2, firstRelease: '' },
  ...{ environments: [], releases: [], releasesReceivedAtMicros: [], releasesFirstReceivedAtMicros: [] },
  ...{ removed: 9, removedSampled: 4, removedRepeated: 2, hours: [], users: NO_USERS },
};

describe('the line of an issue in the ledger of removals', () => {
  it.each([
    [4, 2],
    [0, 2],
    [4, 0],
    [0, 0],
  ])('holds what was sampled out and what repeated an occurrence: %i, %i', (removedSampled, removedRepeated) => {
    const removal = { ...REMOVAL, removedSampled, removedRepeated };
    expect(decodeIssueLine(new DocumentFields('ledger', encodeIssueLine(removal)))).toEqual(removal);
  });

  it.each([
    [4, 4, 0],
    [-3, 0, 3],
  ])('of an earlier version holds the difference of both: %i', (difference, sampled, repeated) => {
    const line = encodeIssueLine({ ...REMOVAL, removedSampled: difference, removedRepeated: 0 });
    const removal = decodeIssueLine(new DocumentFields('ledger', line));
    expect([removal.removedSampled, removal.removedRepeated]).toEqual([sampled, repeated]);
  });
});
