import { killLeftoverProcesses, startCollector } from '../../helpers/faultline-process.js';
import { removeTemporaryFolders, temporaryFolder } from '../../helpers/temporary-folder.js';

afterAll(async () => {
  killLeftoverProcesses();
  await removeTemporaryFolders();
});

// Runs in a child process: the heap of a test process is so large that its snapshot takes half a minute.
it('a collector with the extension pprof streams a heap snapshot', async () => {
  const { child, output, finished } = await startCollector(await temporaryFolder(), [
    '--set=extensions.pprof.endpoint=localhost:0',
    '--set=service.extensions=[query, pprof]',
  ]);
  const address = /pprof +(http:\/\/\S+)/.exec(output.stdout)?.[1] ?? '';
  const response = await fetch(`${address}/debug/pprof/heap`);
  expect(response.status).toBe(200);
  let beginning = '';
  let bytes = 0;
  for await (const chunk of response.body ?? []) {
    bytes += chunk.length;
    if (beginning.length < 100) beginning += Buffer.from(chunk).toString('latin1');
  }
  expect(beginning).toMatch(/^\{"snapshot":\{"meta":/);
  expect(bytes).toBeGreaterThan(1_000_000);
  child.kill('SIGTERM');
  expect((await finished).code).toBe(0);
});
