import { execFile } from 'node:child_process';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { FAULTLINE, killLeftoverProcesses, startCollector, stop } from '../helpers/faultline-process.js';
import { removeTemporaryFolders, temporaryFolder } from '../helpers/temporary-folder.js';

const run = promisify(execFile);
const PROGRAM = 'test/fixtures/clients/mcp-client.py';
/** Kept between runs, because pip needs a minute. */
const CACHE = join(process.env['XDG_CACHE_HOME'] ?? tmpdir(), 'faultline-mcp-python');

afterAll(async () => {
  killLeftoverProcesses();
  await removeTemporaryFolders();
});

/** Returns a Python that has the official client; undefined, with a word, where pip cannot install it. */
async function installedPython(): Promise<string | undefined> {
  try {
    await run('python3', ['-m', 'venv', CACHE]);
    await run(join(CACHE, 'bin/pip'), ['install', '--quiet', 'mcp>=2']);
    return join(CACHE, 'bin/python');
  } catch (error) {
    process.stdout.write(`the Python client of MCP is not tested: ${error}\n`);
    return undefined;
  }
}

it('the official client of Python lists, pages, calls and waits over both transports', async () => {
  const python = await installedPython();
  if (python === undefined) return;
  const collector = await startCollector(await temporaryFolder(), [
    '--set=service.extensions=[query, mcp]',
    '--set=extensions.mcp.query=query',
  ]);
  const { ingestUrl, queryUrl } = collector;
  const targets = [[`${queryUrl}/mcp`], [process.execPath, FAULTLINE, 'mcp', '--url', queryUrl]];
  for (const target of targets) {
    const { stdout } = await run(python, [PROGRAM, `${ingestUrl}/v1/events`, ...target]);
    expect(JSON.parse(stdout)).toEqual({
      tools: ['list_issues', 'get_issue', 'search_events', 'get_event', 'explain_grouping', 'changes_since'],
      paged: true,
      fenced: true,
      waited: true,
      refused: true,
    });
  }
  await stop(collector);
});
