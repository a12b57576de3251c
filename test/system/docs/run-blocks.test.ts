import { execFile } from 'node:child_process';
import { chmod, mkdir, writeFile } from 'node:fs/promises';
import { delimiter, join } from 'node:path';
import { promisify } from 'node:util';
import { blocksOf, userPages } from '../../docs/markdown-blocks.js';
import {
  EVERY_RECEIVER,
  FAULTLINE,
  killLeftoverProcesses,
  type RunningCollector,
  startCollector,
} from '../../helpers/faultline-process.js';
import { removeTemporaryFolders, temporaryFolder } from '../../helpers/temporary-folder.js';

/** Issue ids in the pages, which are replaced by ids of stored issues. */
const PAGE_IDS = ['4c1f4d51-5a0e-5d0c-9d3a-0d1f5b0a9d11', '9ad53bb0-77c4-5b0e-8f1e-3d1f5b0a9d22'];
const EVENTS = ['FirstError', 'SecondError'].map((name) => ({
  app: 'shop',
  service: 'api',
  env: 'production',
  error_name: name,
  message: 'quantity 12 exceeds the limit',
  route: '/cart',
}));
const GROUPING = `grouping: { patterns_off: [url] }\n`;
const CONFIG = `${GROUPING}receivers: { events: }
exporters: { store: }
service: { pipelines: { events: { receivers: [events], exporters: [store] } } }
`;

const blocks = (await Promise.all((await userPages()).map(blocksOf))).flat().filter(({ info }) => info === 'sh run');

let cwd: string;
let collector: RunningCollector;
let ids: readonly string[];
beforeAll(async () => {
  cwd = await temporaryFolder();
  const lines = EVENTS.map((event) => `${JSON.stringify(event)}\n`).join('');
  await writeFile(join(cwd, 'failures.ndjson'), lines);
  await writeFile(join(cwd, 'rules.yaml'), GROUPING);
  await writeFile(join(cwd, 'faultline.yaml'), CONFIG);
  await mkdir(join(cwd, 'bin'));
  collector = await startCollector(join(cwd, 'faultline-data'), EVERY_RECEIVER, { cwd });
  await writeFile(join(cwd, 'bin', 'faultline'), faultlineScript(collector.queryUrl));
  await chmod(join(cwd, 'bin', 'faultline'), 0o755);
  const headers = { 'content-type': 'application/x-ndjson' };
  const response = await fetch(`${collector.ingestUrl}/v1/events`, { method: 'POST', headers, body: lines });
  const stored: { events: { issue_id: string }[] } = await response.json();
  ids = stored.events.map(({ issue_id: id }) => id);
});
afterAll(async () => {
  collector.child.kill('SIGTERM');
  await collector.finished;
  killLeftoverProcesses();
  await removeTemporaryFolders();
});

/** A `faultline` that reads from the collector of this test by default. */
function faultlineScript(queryUrl: string): string {
  return `#!/bin/sh
case "$1" in
  issues|issue|events|event|explain|export|resolve|reopen|ignore|assign|comment|merge|split|undo|regroup|suggest)
    exec "${process.execPath}" "${FAULTLINE}" "$@" --url "${queryUrl}" ;;
esac
exec "${process.execPath}" "${FAULTLINE}" "$@"
`;
}

/** Replaces the URLs and ids of the pages by those of this test. */
function forThisCollector(text: string): string {
  const own = text
    .replaceAll('http://localhost:4318', collector.ingestUrl)
    .replaceAll('http://localhost:4319', collector.queryUrl);
  return PAGE_IDS.reduce((before, id, index) => {
    const real = ids[index] ?? '';
    return before.replaceAll(id, real).replaceAll(id.slice(0, 8), real.slice(0, 8));
  }, own);
}

describe('a shell block of the pages for users', () => {
  it.each(blocks.map((block) => [`${block.page}:${block.line}`, block]))('at %s runs', async (_, block) => {
    const { text } = block as (typeof blocks)[number];
    const env = { ...process.env, NODE_OPTIONS: '', PATH: `${join(cwd, 'bin')}${delimiter}${process.env['PATH']}` };
    const script = forThisCollector(text);
    const { stderr } = await promisify(execFile)('bash', ['-e', '-o', 'pipefail', '-c', script], { cwd, env });
    expect(stderr).not.toMatch(/error|fault|usage/i);
  });
});
