import { execFile } from 'node:child_process';
import { cp, readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { post } from '../collector/post.js';
import { killLeftoverProcesses, type RunningCollector, startCollector } from '../helpers/faultline-process.js';
import { kindOfFailure } from '../helpers/payloads.js';
import { removeTemporaryFolders, temporaryFolder } from '../helpers/temporary-folder.js';

afterAll(async () => {
  killLeftoverProcesses();
  await removeTemporaryFolders();
});

/** Runs a program of this folder until it exits. */
async function run(program: string, ...args: string[]): Promise<{ code: number; output: string }> {
  const path = fileURLToPath(new URL(program, import.meta.url));
  return await new Promise((resolve) => {
    execFile(process.execPath, [path, ...args], { maxBuffer: 2 ** 26 }, (error, stdout, stderr) => {
      resolve({ code: error === null ? 0 : Number(error.code), output: stdout + stderr });
    });
  });
}

it.each([
  // Its features are all but sampling.
  ['killed under mixed load', 'kill', 4, 15],
  ['on a disk that fails', 'faults', 4, 15],
  ['whose files are removed', 'pulled', 4, 15],
  ['with a second one in another PID namespace', 'writers', 2, 15],
])('a collector %s has each acknowledged event once, at its address', async (_, kind, rounds, seed) => {
  const { code, output } = await run('chaos/run.js', '--kind', kind, '--rounds', `${rounds}`, '--seed', `${seed}`);
  if (output.includes('SKIPPED')) console.warn(output);
  expect({ code, output }).toMatchObject({ code: 0, output: expect.stringContaining(' 0 failed') });
});

describe('the audit', () => {
  let directory: string;
  let collector: RunningCollector;
  let folder: string;

  beforeAll(async () => {
    directory = join(await temporaryFolder(), 'data');
    collector = await startCollector(directory);
    for (const name of ['one', 'two', 'three']) {
      const events = Array.from({ length: 3 }, () => kindOfFailure(1, { message: `the ${name} did not answer` }));
      expect((await post(`${collector.ingestUrl}/v1/events`, JSON.stringify(events))).status).toBe(200);
    }
    const names = await readdir(directory, { recursive: true });
    folder = names.find((name) => name.endsWith('commits.ndjson'))?.replace('/commits.ndjson', '') ?? '';
  });

  /** Audits a copy of the folder with a changed file. */
  async function auditOf(file: string, change: (lines: string[]) => string[], ...urls: string[]) {
    const copy = join(await temporaryFolder(), 'data');
    await cp(directory, copy, { recursive: true });
    const path = join(copy, folder, file);
    const lines = (await readFile(path, 'latin1')).split('\n');
    await writeFile(path, change(lines).join('\n'), 'latin1');
    const { code, output } = await run('audit/audit.js', copy, ...urls);
    return { code, failed: [...output.matchAll(/^FAIL (\w+)/gm)].map(([, check]) => check) };
  }

  it('finds nothing in an undamaged folder and its collector', async () => {
    const metricsUrl = /http:\/\/[\w.:[\]]+(?=\/metrics)/.exec(collector.output.stdout)?.[0] ?? '';
    const { code, output } = await run('audit/audit.js', directory, collector.queryUrl, metricsUrl);
    expect({ code, output }).toMatchObject({ code: 0, output: expect.stringContaining('9 lines') });
  });

  it.each([
    ['a flipped bit', 'raw.ndjson', ['checksums'], ([one = '', ...rest]) => [one.replace('answer', 'anrwer'), ...rest]],
    ['a missing line', 'raw.ndjson', ['commits', 'checksums'], ([, ...rest]) => rest],
    [
      'a duplicate commit record',
      'commits.ndjson',
      ['commits', 'dates', 'ids'],
      ([one = '', ...rest]) => [one, one, ...rest],
    ],
    ['a missing commit record', 'commits.ndjson', ['commits'], ([one = '', , ...rest]) => [one, ...rest]],
    [
      'a wrong number of lines',
      'commits.ndjson',
      ['commits'],
      ([one = '', ...rest]) => [one.replace('"lines":3', '"lines":2'), ...rest],
    ],
    [
      'a date out of order',
      'commits.ndjson',
      ['dates'],
      ([one = '', ...rest]) => [one.replace(/(received_at":"[^"]*T\d\d):/, '$1:59:59.999999Z","was":"'), ...rest],
    ],
  ] as [string, string, string[], (lines: string[]) => string[]][])('finds %s', async (_, file, checks, change) => {
    const { code, failed } = await auditOf(file, change);
    expect(code).toBe(1);
    expect(failed).toEqual(expect.arrayContaining(checks));
  });

  it('finds that a collector counts events that the record lacks', async () => {
    const metricsUrl = /http:\/\/[\w.:[\]]+(?=\/metrics)/.exec(collector.output.stdout)?.[0] ?? '';
    const { code, failed } = await auditOf(
      'commits.ndjson',
      (lines) => [...lines.slice(0, -2), ''],
      collector.queryUrl,
      metricsUrl,
    );
    expect(code).toBe(1);
    expect(failed).toEqual(expect.arrayContaining(['API', 'counts']));
  });
});
