import { execFileSync } from 'node:child_process';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { serverPayload } from '../../helpers/payloads.js';
import { removeTemporaryFolders, temporaryFolder } from '../../helpers/temporary-folder.js';
import { post } from '../post.js';
import { settingsFor, startService, stopServices } from '../running-service.js';

afterEach(stopServices);
afterAll(removeTemporaryFolders);

async function repository(): Promise<string> {
  const folder = await temporaryFolder();
  const git = (...args: string[]) =>
    execFileSync('git', ['-C', folder, '-c', 'user.name=Ann', '-c', 'user.email=ann@shop.test', ...args]);
  git('init', '-q');
  await mkdir(join(folder, 'src'));
  await writeFile(join(folder, 'src', 'cart.ts'), 'one\ntwo\n');
  git('add', '.');
  git('commit', '-qm', 'Count lines');
  return folder;
}

it('an issue over HTTP names the commit of a configured repository, else none', async () => {
  const path = await repository();
  for (const repositories of [`[{ path: ${path} }]`, '[]']) {
    const running = await startService(
      settingsFor(await temporaryFolder(), `extensions.query.repositories=${repositories}`),
    );
    const stack = 'Error: no\n    at setLine (/srv/shop/src/cart.ts:2:7)';
    const { body } = await post(running.eventsUrl, JSON.stringify(serverPayload({ stack, timestamp: null })));
    const { suspect_commit: found } = await (
      await fetch(`${running.apiUrl}/issues/${body.events?.[0]?.issue_id}`)
    ).json();
    const expected = { message: 'Count lines', author_name: 'Ann', path: 'src/cart.ts', line: 2, source: 'blame' };
    if (repositories === '[]') expect(found).toBeNull();
    else expect(found).toMatchObject(expected);
  }
});
