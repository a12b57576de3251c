import { chmod, readFile, stat, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { createEffectContext } from '../../../tui/commands/create-effect-context.js';
import { removeTemporaryFolders, temporaryFolder } from '../../helpers/temporary-folder.js';
import { createArrayReader } from '../array-reader.js';

afterAll(removeTemporaryFolders);

/** Opens a copy in an editor that notes its arguments, the mode of the file and its text. */
async function edited(program: string, exitCode = 0) {
  const folder = await temporaryFolder();
  const editor = join(folder, program);
  const log = join(folder, 'log');
  const script = `#!/bin/sh\nfor file; do :; done\necho "$file" > ${log}\nstat -c %a "$file" >> ${log}\ncat "$file" >> ${log}\nexit ${exitCode}\n`;
  await writeFile(editor, script);
  await chmod(editor, 0o755);
  const reader = Object.assign(createArrayReader({ issues: [] }), { sources: () => [], ownersOf: () => [] });
  const context = createEffectContext({ reader, env: { ...process.env, EDITOR: editor, VISUAL: '' } });
  const notice = await context.editCopy('event-591f-0481.json', '{}\n').catch((error: Error) => error.message);
  const [path = '', mode, text] = (await readFile(log, 'utf8')).split('\n');
  const isThere = await stat(dirname(path)).then(
    () => true,
    () => false,
  );
  return { notice, path, mode, text, isThere };
}

describe('a copy in the editor', () => {
  it('can only be read, and is removed after an editor in this terminal, also if it fails', async () => {
    const copy = { mode: '400', text: '{}', isThere: false, path: expect.stringMatching(/\/event-591f-0481\.json$/) };
    expect(await edited('vi')).toEqual({ ...copy, notice: undefined });
    expect(await edited('vi', 3)).toEqual({ ...copy, notice: expect.stringMatching(/ ended with code 3\.$/) });
  });

  it('stays while an editor has its own window', async () => {
    const { notice, isThere } = await edited('gedit');
    expect([notice, isThere]).toEqual([expect.stringMatching(/ shows line 1 of /), true]);
  });
});
