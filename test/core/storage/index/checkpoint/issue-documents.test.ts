import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import type { FingerprintValue } from '../../../../../core/event/ids.js';
import { issueIdOf } from '../../../../../core/issues/issue-id.js';
import {
  decodeIssueHeaders,
  encodeIssueHeaders,
} from '../../../../../core/storage/index/checkpoint/issue-documents.js';
import { type IssueHeader, SharedTexts } from '../../../../../core/storage/index/content/issue-state.js';
import { placeDocument, readDocument } from '../../../../../core/storage/index/documents/checked-document.js';
import { unsyncedFiles } from '../../../../helpers/unsynced-files.js';

let folder: string;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'issue-headers-'));
});
afterEach(() => rm(folder, { recursive: true }));

const text = fc.string({ unit: 'binary', maxLength: 20 });

function issueHeader(number: number, [title, culprit, message]: readonly [string, string | null, string]): IssueHeader {
  const fingerprint = number.toString(16).padStart(32, '0') as FingerprintValue;
  const [app, service] = ['shop', `service-${number % 3}`];
  return {
    issueId: issueIdOf({ app, service, fingerprint }),
    fingerprint,
    fingerprintVersion: 1,
    app,
    service,
    title,
    culprit,
    errorName: 'Error',
    message,
    firstReceivedAtMicros: 1_700_000_000_000_000 + number,
    firstRelease: number % 3 === 0 ? '' : `v${number}`,
  };
}

async function read(path: string, count: number) {
  const data = await readDocument(unsyncedFiles, path, 'cards');
  return decodeIssueHeaders(path, data, { first: 512, count }, new SharedTexts());
}

describe('a document of issue headers', () => {
  it('decodes every header, for any texts', async () => {
    const path = join(folder, 'headers.json');
    const texts = fc.array(fc.tuple(text, fc.option(text), text), { maxLength: 8 });
    await fc.assert(
      fc.asyncProperty(texts, async (all) => {
        const headers = all.map((one, number) => issueHeader(number, one));
        await placeDocument(unsyncedFiles, path, 'cards', encodeIssueHeaders(headers));
        const issues = await read(path, headers.length);
        expect(issues.map(({ ordinal }) => ordinal)).toEqual(headers.map((_, number) => 512 + number));
        headers.forEach((header, index) => {
          expect(issues[index]).toMatchObject({ ...header });
        });
      }),
    );
  });

  it.each([
    ['issue_id', ['x'.repeat(36)]],
    ['issue_id', []],
    ['fingerprint', ['ABCDEF'.padEnd(32, '0')]],
    ['fingerprint', ['0'.repeat(31)]],
    ['title', []],
    ['title', [1]],
    ['culprit', [1]],
    ['message', null],
    ['app', [7]],
    ['names', null],
  ])('with an invalid %s fails at once', async (key, value) => {
    const path = join(folder, 'headers.json');
    const headers = encodeIssueHeaders([issueHeader(1, ['', null, ''])]);
    await placeDocument(unsyncedFiles, path, 'cards', { ...headers, [key]: value });
    await expect(read(path, 1)).rejects.toMatchObject({ code: 'INDEX_UNUSABLE' });
  });

  it('without its columns fails at once', async () => {
    const path = join(folder, 'headers.json');
    await placeDocument(unsyncedFiles, path, 'cards', {});
    await expect(read(path, 1)).rejects.toMatchObject({ code: 'INDEX_UNUSABLE' });
  });
});
