import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import type { FingerprintValue } from '../../../../../core/event/ids.js';
import { issueIdOf } from '../../../../../core/issues/issue-id.js';
import { nodeFiles } from '../../../../../core/storage/files/node-files.js';
import {
  decodeIssueHeaders,
  encodeIssueHeaders,
} from '../../../../../core/storage/index/checkpoint/issue-header-document.js';
import { type IssueHeader, StringPool } from '../../../../../core/storage/index/content/issue-state.js';
import {
  readDocument,
  readDocumentParts,
  writeDocument,
} from '../../../../../core/storage/index/documents/document-adapter.js';

let folder: string;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'cards-'));
});
afterEach(() => rm(folder, { recursive: true }));

const text = fc.string({ unit: 'binary', maxLength: 20 });

function cardOf(number: number, [title, culprit, message]: readonly [string, string | null, string]): IssueHeader {
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
  };
}

async function read(path: string, count: number) {
  const parts = await readDocumentParts(nodeFiles, path, 'cards');
  if (parts === undefined) throw new Error('The document is missing.');
  return decodeIssueHeaders(path, parts, { first: 512, count }, new StringPool());
}

describe('a document of issue headers', () => {
  it('decodes every header, for any texts', async () => {
    const path = join(folder, 'cards.json');
    const texts = fc.array(fc.tuple(text, fc.option(text), text), { maxLength: 8 });
    await fc.assert(
      fc.asyncProperty(texts, async (all) => {
        const cards = all.map((one, number) => cardOf(number, one));
        await writeDocument(nodeFiles, path, 'cards', encodeIssueHeaders(cards));
        const issues = await read(path, cards.length);
        expect(issues.map(({ ordinal }) => ordinal)).toEqual(cards.map((_, number) => 512 + number));
        cards.forEach((card, index) => {
          const { title, culprit, message } = card;
          expect(issues[index]).toMatchObject({ ...card, title, culprit, message });
        });
      }),
      { numRuns: 30 },
    );
  });

  it('is one JSON document', async () => {
    const path = join(folder, 'cards.json');
    const parts = encodeIssueHeaders([cardOf(1, ['a\nb', null, '\u2028'])]);
    await writeDocument(nodeFiles, path, 'cards', parts);
    expect(await readDocument(nodeFiles, path, 'cards')).toEqual(JSON.parse(JSON.stringify(parts)));
  });

  it.each([
    ['texts of another number of issues', (parts: object[]) => [parts[0], { title: [], culprit: [], message: [] }]],
    ['texts that are no text', (parts: object[]) => [parts[0], { title: [1], culprit: [null], message: [''] }]],
    ['no texts', (parts: object[]) => [parts[0], null]],
  ])('with %s is found out when a text is asked for', async (_, spoil) => {
    const path = join(folder, 'cards.json');
    await writeDocument(nodeFiles, path, 'cards', spoil([...encodeIssueHeaders([cardOf(1, ['', null, ''])])]));
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
  ])('with an unusable %s is refused at once', async (key, value) => {
    const path = join(folder, 'cards.json');
    const [head, texts] = encodeIssueHeaders([cardOf(1, ['', null, ''])]);
    await writeDocument(nodeFiles, path, 'cards', [{ ...head, [key]: value }, texts]);
    await expect(read(path, 1)).rejects.toMatchObject({ code: 'INDEX_UNUSABLE' });
  });

  it('that is not in two parts is rejected', async () => {
    const path = join(folder, 'cards.json');
    await writeDocument(nodeFiles, path, 'cards', {});
    await expect(read(path, 1)).rejects.toMatchObject({ code: 'INDEX_UNUSABLE' });
  });
});
