import { execFile } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { delimiter, join } from 'node:path';
import { promisify } from 'node:util';
import {
  FAULTLINE,
  killLeftoverProcesses,
  runFaultline,
  startFaultline,
  stop,
} from '../../helpers/faultline-process.js';
import { removeTemporaryFolders, temporaryFolder } from '../../helpers/temporary-folder.js';
import { waitFor } from '../../helpers/wait-for.js';

afterAll(async () => {
  killLeftoverProcesses();
  await removeTemporaryFolders();
});

/** Commands without options for a collector, or that do not end by themselves. */
const WITHOUT_URL = 'verify|rebuild|import|rejected|validate|print-config|components|fingerprint|run|send';
const ENDLESS = ['collect', 'demo', 'browse', 'mcp'];

it('the help of every command begins its examples with one that works in the demo, on one line each', async () => {
  const folder = await temporaryFolder();
  const demo = startFaultline(['demo']);
  const url = await waitFor('the demo', () => /demo collector at (\S+);/.exec(demo.output.stdout)?.[1]);
  const shim = `#!/bin/sh\ncase "$1" in ${WITHOUT_URL}) ;; *) set -- "$@" --url ${url};; esac\nexec '${process.execPath}' '${FAULTLINE}' "$@"\n`;
  await writeFile(join(folder, 'faultline'), shim, { mode: 0o755 });
  const env = { ...process.env, PATH: folder + delimiter + process.env['PATH'], FAULTLINE_URL: url, NODE_OPTIONS: '' };
  const page = (await runFaultline([])).stdout;
  const commands = page.match(/(?<=^ {2}|[a-z] {2})[a-z][a-z-]*/gm) ?? [];
  // The example of `import` makes the folder of other examples.
  for (const command of new Set(['import', ...commands.filter((name) => name !== 'completion')])) {
    const { stdout } = await runFaultline([command, '--help']);
    const examples = stdout.split('Examples:\n')[1]?.trimEnd().split('\n') ?? [];
    for (const example of examples)
      expect([command, example]).toEqual([command, expect.stringMatching(/^ {2}(faultline|zcat) /)]);
    const [first = ''] = examples.map((example) => example.trim().split(/ {2,}/)[0] ?? '');
    if (ENDLESS.includes(command)) continue;
    const done = await promisify(execFile)('sh', ['-c', first], { cwd: folder, env }).catch((error: unknown) => error);
    // The program of this example fails.
    expect([first, done]).toEqual([
      first,
      command === 'run'
        ? expect.objectContaining({ code: 1 })
        : expect.not.objectContaining({ code: expect.anything() }),
    ]);
  }
  expect(await stop(demo, 'SIGINT')).toMatchObject({ code: 0 });
});
