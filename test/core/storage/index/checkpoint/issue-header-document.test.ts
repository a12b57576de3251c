import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import type { FingerprintValue } from '../../../../../core/event/ids.js';
import { issueIdOf } from '../../../../../core/issues/issue-id.js';
import {
  decodeIssueHeaders,
  encodeIssueHeaders,
} from '../../../../../core/storage/index/checkpoint/issue-header-document.js';
import { type IssueHeader, IssueMemory } from '../../../../../core/storage/index/content/issue-state.js';
import {
  readDocument,
  readDocumentParts,
  writeDocument,
} from '../../../../../core/storage/index/documents/document-adapter.js';
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
  const parts = await readDocumentParts(unsyncedFiles, path, 'cards');
  if (parts === undefined) throw new Error('The document is missing.');
  return decodeIssueHeaders(path, parts, { first: 512, count }, new IssueMemory());
}

describe('a document of issue headers', () => {
  it('decodes every header, for any texts', async () => {
    const path = join(folder, 'headers.json');
    const texts = fc.array(fc.tuple(text, fc.option(text), text), { maxLength: 8 });
    await fc.assert(
      fc.asyncProperty(texts, async (all) => {
        const headers = all.map((one, number) => issueHeader(number, one));
        await writeDocument(unsyncedFiles, path, 'cards', encodeIssueHeaders(headers));
        const issues = await read(path, headers.length);
        expect(issues.map(({ ordinal }) => ordinal)).toEqual(headers.map((_, number) => 512 + number));
        headers.forEach((header, index) => {
          const { title, culprit, message } = header;
          expect(issues[index]).toMatchObject({ ...header, title, culprit, message });
        });
      }),
    );
  });

  it('is one JSON document', async () => {
    const path = join(folder, 'headers.json');
    const parts = encodeIssueHeaders([issueHeader(1, ['a\nb', null, '\u2028'])]);
    await writeDocument(unsyncedFiles, path, 'cards', parts);
    expect(await readDocument(unsyncedFiles, path, 'cards')).toEqual(JSON.parse(JSON.stringify(parts)));
  });

  it.each([
    ['texts for another number of issues', (parts: object[]) => [parts[0], { title: [], culprit: [], message: [] }]],
    ['texts that are not strings', (parts: object[]) => [parts[0], { title: [1], culprit: [null], message: [''] }]],
    ['missing texts', (parts: object[]) => [parts[0], null]],
  ])('with %s fails when a text is read', async (_, spoil) => {
    const path = join(folder, 'headers.json');
    await writeDocument(unsyncedFiles, path, 'cards', spoil([...encodeIssueHeaders([issueHeader(1, ['', null, ''])])]));
    const [issue] = await read(path, 1);
    expect(() => issue?.title).toThrow(expect.objectContaining({ code: 'INDEX_UNUSABLE' }));
    expect(() => issue?.message).toThrow(expect.objectContaining({ code: 'INDEX_UNUSABLE' }));
  });

  it.each([
    ['issue_id', 'x'.repeat(36)],
    ['issue_id', ''],
    ['fingerprint', 'ABCDEF'.padEnd(32, '0')],
    ['fingerprint', '0'.repeat(31)],
    ['app', [7]],
    ['names', null],
  ])('with an invalid %s fails at once', async (key, value) => {
    const path = join(folder, 'headers.json');
    const [head, texts] = encodeIssueHeaders([issueHeader(1, ['', null, ''])]);
    await writeDocument(unsyncedFiles, path, 'cards', [{ ...head, [key]: value }, texts]);
    await expect(read(path, 1)).rejects.toMatchObject({ code: 'INDEX_UNUSABLE' });
  });

  it('without its two parts fails at once', async () => {
    const path = join(folder, 'headers.json');
    await writeDocument(unsyncedFiles, path, 'cards', {});
    await expect(read(path, 1)).rejects.toMatchObject({ code: 'INDEX_UNUSABLE' });
  });
});
