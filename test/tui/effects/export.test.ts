import { mkdir, readdir, readFile, stat, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { writeExportFile } from '../../../tui/effects/export-file.js';
import { type ExportProgress, exportEvents, exportIssues } from '../../../tui/effects/export-rows.js';
import { removeTemporaryFolders, temporaryFolder } from '../../helpers/temporary-folder.js';
import { createArrayReader, sampleEvent, sampleEventId, sampleIssue } from '../array-reader.js';

afterAll(removeTemporaryFolders);

const HOSTILE = '\u001b]52;c;aGk=\u0007\u009b2J\u202e';

async function textOf(chunks: AsyncIterable<string>): Promise<string> {
  let text = '';
  for await (const chunk of chunks) text += chunk;
  return text;
}

function linesOf(text: string): unknown[] {
  return text
    .split('\n')
    .slice(0, -1)
    .map((line) => JSON.parse(line));
}

const events = [
  ...Array.from({ length: 1_100 }, (_, n) => sampleEvent(1, n + 1)),
  sampleEvent(1, 2_000, {
    message: `=HYPERLINK("x")${HOSTILE}\n,`,
    extra: JSON.parse('{"__proto__":{"a":1}}'),
    tags: { '@x': '=1' },
  }),
];
const reader = createArrayReader({
  issues: Array.from({ length: 1_200 }, (_, n) =>
    sampleIssue(n + 1, { title: n === 1_199 ? HOSTILE : '-1', users: n }),
  ),
  events,
});

describe('exported events', () => {
  it('are all that match, over all pages, as raw payloads with id and address', async () => {
    const progress: ExportProgress[] = [];
    const text = await textOf(exportEvents({ reader, format: 'ndjson', onProgress: (one) => progress.push(one) }));
    expect(text).not.toMatch(/[\u001b\u009b\u202e]/);
    const lines = linesOf(text);
    expect(lines).toHaveLength(1_101);
    expect(lines[0]).toEqual({
      ...sampleEvent(1, 2_000, events.at(-1)?.raw.payload).raw.payload,
      event_id: sampleEventId(2_000),
      raw: { path: events.at(-1)?.raw.path, line: 2_000 },
    });
    expect(text.split('\n')[0]).toContain('"__proto__":{"a":1}');
    expect(progress.at(-1)).toEqual({ written: 1_101, gone: 0, share: 1 });
  });

  it('are normalized if requested, and filtered by a query', async () => {
    const text = await textOf(exportEvents({ reader, format: 'ndjson', normalized: true, query: 'HYPERLINK' }));
    expect(linesOf(text)).toEqual([events.at(-1)?.normalized]);
  });

  it('are CSV records without formulas', async () => {
    const text = await textOf(exportEvents({ reader, format: 'csv', query: 'HYPERLINK' }));
    const [headings = '', ...rest] = text.split('\r\n');
    expect(headings.split(',').slice(0, 3)).toEqual(['event_id', 'issue_id', 'timestamp']);
    expect(rest.join('')).toContain(`"'=HYPERLINK(""x"")${HOSTILE}\n,"`);
    expect(rest.join('')).toContain('"{""@x"":""=1""}"');
  });

  it('exclude, and count, events that retention removed meanwhile', async () => {
    const forgetting = createArrayReader({ issues: [sampleIssue(1)], events: [sampleEvent(1, 1), sampleEvent(1, 2)] });
    const { getEvent } = forgetting;
    forgetting.getEvent = async (id) => (id === sampleEventId(1) ? undefined : await getEvent(id));
    const progress: ExportProgress[] = [];
    const text = await textOf(
      exportEvents({ reader: forgetting, format: 'ndjson', onProgress: (one) => progress.push(one) }),
    );
    expect(linesOf(text)).toHaveLength(1);
    expect(progress.at(-1)).toEqual({ written: 1, gone: 1, share: 1 });
  });

  it('are read only as far as the caller iterates', async () => {
    const asked = createArrayReader({ issues: [sampleIssue(1)], events });
    for await (const line of exportEvents({ reader: asked, format: 'ndjson' })) {
      expect(line).toContain('event_id');
      break;
    }
    expect(asked.calls.filter((call) => call === 'searchEvents')).toHaveLength(1);
    expect(asked.calls.filter((call) => call === 'getEvent').length).toBeLessThanOrEqual(8);
  });
});

describe('exported issues', () => {
  it('are those of the list, as in the reading API', async () => {
    const lines = linesOf(await textOf(exportIssues({ reader, format: 'ndjson' })));
    expect(lines).toHaveLength(1_200);
    expect(lines[0]).toEqual((await reader.listIssues({ limit: 1 })).issues[0]);
  });

  it('are CSV records', async () => {
    const records = (await textOf(exportIssues({ reader, format: 'csv' }))).split('\r\n');
    expect(records).toHaveLength(1_202);
    expect(records[2]).toContain(",'-1,");
  });
});

describe('the file of an export', () => {
  async function* chunks(...texts: string[]) {
    yield* texts;
  }

  it('gets its name only when it is complete', async () => {
    const folder = await temporaryFolder();
    const path = join(folder, 'a.csv');
    const seen: string[][] = [];
    async function* watched() {
      for (let n = 0; n < 3; n += 1) {
        seen.push(await readdir(folder));
        yield 'ä'.repeat(200_000);
      }
    }
    await writeExportFile({ path, chunks: watched() });
    expect(seen).toEqual([['a.csv.partial'], ['a.csv.partial'], ['a.csv.partial']]);
    expect(await readdir(folder)).toEqual(['a.csv']);
    expect(await readFile(path, 'utf8')).toBe('ä'.repeat(600_000));
  });

  it('is readable by its owner and group only, like the files of the store', async () => {
    const path = join(await temporaryFolder(), 'a.csv');
    const before = process.umask(0);
    try {
      await writeExportFile({ path, chunks: chunks('x') });
    } finally {
      process.umask(before);
    }
    expect((await stat(path)).mode & 0o777).toBe(0o640);
  });

  it('replaces an existing file only with overwrite, and only a regular file', async () => {
    const folder = await temporaryFolder();
    const path = join(folder, 'a.csv');
    await writeFile(path, 'precious');
    await expect(writeExportFile({ path, chunks: chunks('x') })).rejects.toMatchObject({ code: 'EXPORT_EXISTS' });
    expect(await readFile(path, 'utf8')).toBe('precious');
    await writeExportFile({ path, chunks: chunks('x'), overwrite: true });
    expect(await readFile(path, 'utf8')).toBe('x');
    await symlink(path, join(folder, 'link'));
    await mkdir(join(folder, 'sub'));
    for (const other of [join(folder, 'link'), join(folder, 'sub'), '/dev/null']) {
      await expect(writeExportFile({ path: other, chunks: chunks('y'), overwrite: true })).rejects.toMatchObject({
        code: 'EXPORT_EXISTS',
      });
    }
    expect(await readFile(path, 'utf8')).toBe('x');
  });

  it('is not written by two exports at the same time', async () => {
    const folder = await temporaryFolder();
    const path = join(folder, 'a.csv');
    await writeFile(`${path}.partial`, 'of another');
    await expect(writeExportFile({ path, chunks: chunks('x') })).rejects.toMatchObject({ code: 'EXPORT_EXISTS' });
    expect(await readFile(`${path}.partial`, 'utf8')).toBe('of another');
  });

  it('is removed if the export fails or is cancelled', async () => {
    const folder = await temporaryFolder();
    const path = join(folder, 'a.csv');
    async function* failing() {
      yield 'x'.repeat(300_000);
      throw new Error('the collector went away');
    }
    await expect(writeExportFile({ path, chunks: failing() })).rejects.toThrow('the collector went away');
    const abort = new AbortController();
    async function* endless() {
      for (;;) {
        yield 'x'.repeat(300_000);
        abort.abort();
      }
    }
    await expect(writeExportFile({ path, chunks: endless(), signal: abort.signal })).rejects.toMatchObject({
      name: 'AbortError',
    });
    expect(await readdir(folder)).toEqual([]);
    await expect(writeExportFile({ path: join(folder, 'no', 'a'), chunks: chunks('x') })).rejects.toMatchObject({
      code: 'EXPORT_FAILED',
    });
  });
});
