import { post } from '../collector/post.js';
import { killLeftoverProcesses, startCollector, stop } from '../helpers/faultline-process.js';
import { serverPayload } from '../helpers/payloads.js';
import { killLeftoverTerminals, openPseudoTerminal } from '../helpers/pseudo-terminal.js';
import { removeTemporaryFolders, temporaryFolder } from '../helpers/temporary-folder.js';

afterAll(async () => {
  killLeftoverTerminals();
  killLeftoverProcesses();
  await removeTemporaryFolders();
});

it('faultline browse opens an issue and an event of a collector, and restores the terminal when it quits', async () => {
  const collector = await startCollector(await temporaryFolder());
  expect((await post(`${collector.ingestUrl}/v1/events`, JSON.stringify(serverPayload()))).status).toBe(200);
  const terminal = openPseudoTerminal(['browse', '--url', collector.queryUrl]);
  await terminal.see('ValidationError');
  terminal.type('\r');
  await terminal.see('/api/v1/cart/lines');
  terminal.type('\r');
  await terminal.see(/Event [0-9a-f]{8}/);
  terminal.type('q');
  expect(await terminal.exit).toMatchObject({ exitCode: 0 });
  const lastOf = (sequence: string): number => terminal.output().lastIndexOf(`\u001b[${sequence}`);
  // The main screen, and a visible cursor.
  expect(lastOf('?1049l')).toBeGreaterThan(lastOf('?1049h'));
  expect(lastOf('?25h')).toBeGreaterThan(lastOf('?25l'));
  await stop(collector);
});
