import { readFileSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Readable, Writable } from 'node:stream';
import { type FingerprintOptions, runFingerprint } from '../../../collector/commands/folder/fingerprint.js';
import { removeTemporaryFolders, temporaryFolder } from '../../helpers/temporary-folder.js';

const FIXTURES = new URL('../../fixtures/explain/', import.meta.url).pathname;
const EVENTS = readFileSync(`${FIXTURES}events.ndjson`, 'utf8');

afterAll(removeTemporaryFolders);

/** Runs the command over an input, and with `isTTY` on a terminal. */
async function fingerprint(input: string, options: Partial<FingerprintOptions> = {}, isTTY = false) {
  const written = { out: '', err: '' };
  const stdout = new Writable({
    write(chunk: unknown, _encoding, done) {
      written.out += String(chunk);
      done();
    },
  });
  const code = await runFingerprint({
    files: [],
    config: [],
    set: [],
    env: {},
    explain: false,
    json: false,
    stdin: Readable.from([Buffer.from(input)]),
    stdout: Object.assign(stdout, { isTTY }),
    stderr: { write: (text) => (written.err += text) },
    ...options,
  });
  return {
    code,
    ...written,
    results: () =>
      written.out
        .trimEnd()
        .split('\n')
        .map((line) => JSON.parse(line)),
  };
}

describe('faultline fingerprint', () => {
  it('prints fingerprint, version, title and basis of each line in order, and an error for an invalid line', async () => {
    const { code, results } = await fingerprint(`${EVENTS}\nno json\n`);
    expect(code).toBe(1);
    expect(results().map((result) => Object.keys(result))).toEqual([
      ...Array.from({ length: 3 }, () => ['fingerprint', 'version', 'title', 'basis']),
      ['error'],
      ['error'],
    ]);
    expect(results().slice(3)).toEqual([
      { error: 'line 4: /message must be string' },
      { error: expect.stringMatching(/^line 6 is not JSON: /) },
    ]);
  });

  it('reads files and standard input in order, and continues after a missing file', async () => {
    const [first = '', second = '', third = ''] = EVENTS.split('\n');
    const directory = await temporaryFolder();
    const files = [join(directory, 'one.ndjson'), join(directory, 'none.ndjson'), '-', join(directory, 'two.ndjson')];
    await writeFile(join(directory, 'one.ndjson'), first);
    await writeFile(join(directory, 'two.ndjson'), third);
    const { code, err, results } = await fingerprint(second, { files });
    expect(code).toBe(1);
    expect(err).toMatch(/none\.ndjson" cannot be read: ENOENT/);
    expect(results().map(({ title }) => title.split(':')[0])).toEqual(['UpstreamError', 'QuantityError', 'OddError']);
  });

  it('groups by the rules of configuration files that have only rules', async () => {
    const plain = await fingerprint(EVENTS);
    const ruled = await fingerprint(EVENTS, { config: [`${FIXTURES}rules.yaml`] });
    expect(ruled.results()[0].basis.rule).toBe('rule');
    expect(ruled.results()[0].fingerprint).not.toBe(plain.results()[0].fingerprint);
    const set = await fingerprint(EVENTS, { config: [`${FIXTURES}rules.yaml`], set: ['grouping.rules=[]'] });
    expect(set.out).toBe(plain.out);
  });

  it('exits without an error when its output is closed', async () => {
    const stdout = new Writable({
      highWaterMark: 1,
      write: (_chunk, _encoding, done) => done(Object.assign(new Error('write EPIPE'), { code: 'EPIPE' })),
    });
    stdout.on('error', () => undefined);
    expect((await fingerprint(EVENTS, { stdout })).code).toBe(0);
  });

  it('groups by the requested version, and rejects an unknown one', async () => {
    const [first = ''] = EVENTS.split('\n');
    expect((await fingerprint(first, { groupingVersion: 4 })).results()[0].version).toBe(4);
    const { code, out, err } = await fingerprint(first, { groupingVersion: 9 });
    expect({ code, out, err }).toEqual({ code: 2, out: '', err: '--grouping-version must be 4\n' });
  });

  it('lists every problem of invalid rules instead of grouping by the valid ones', async () => {
    const config = [new URL('../../fixtures/grouping/every-mistake.yaml', import.meta.url).pathname];
    const { code, out, err } = await fingerprint(EVENTS, { config });
    expect({ code, out }).toEqual({ code: 1, out: '' });
    expect(err).toContain('every-mistake.yaml:12:13: grouping.rules[2].name: ');
  });
});

describe('faultline fingerprint --explain', () => {
  const explained = { explain: true, config: [`${FIXTURES}rules.yaml`] };

  it('prints what decided each fingerprint and why, and what the rules did, within 80 columns', async () => {
    const { code, out } = await fingerprint(EVENTS, explained);
    expect(code).toBe(1);
    expect(out.replaceAll(/[0-9a-f]{32}/g, '<fingerprint>')).toBe(readFileSync(`${FIXTURES}explanation.txt`, 'utf8'));
    for (const line of out.split('\n')) expect(line.length).toBeLessThanOrEqual(80);
  });

  it('prints JSON with the rules with --json', async () => {
    const { results } = await fingerprint(EVENTS, { ...explained, json: true });
    expect(results()[0]).toMatchObject({
      culprit: null,
      rules: [
        { name: 'gateway timeouts are one', did: ['sets the fingerprint'] },
        { name: 'ignores guard clauses', did: ['ignores frames'] },
        { name: 'all of the gateway', did: [expect.stringContaining('comes first')] },
      ],
    });
  });

  it('is coloured on a terminal unless NO_COLOR is set, and escapes control characters of events', async () => {
    const coloured = await fingerprint(EVENTS, explained, true);
    expect(coloured.out).toContain('\u001b[32myes');
    expect(coloured.out.replaceAll(/\u001b\[[0-9;]{1,4}m/g, '')).not.toMatch(
      /[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u202e]/,
    );
    const plain = await fingerprint(EVENTS, { ...explained, env: { NO_COLOR: '1' } }, true);
    expect(plain.out).toBe((await fingerprint(EVENTS, explained)).out);
  });
});
