import { mkdir, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createEditorLinks } from '../../../tui/effects/editor-links.js';
import { createRowPainter } from '../../../tui/terminal/row-painter.js';
import { createTheme } from '../../../tui/terminal/theme.js';
import { span } from '../../../tui/text/line.js';
import { neutralise } from '../../../tui/text/visible.js';
import { removeTemporaryFolders, temporaryFolder } from '../../helpers/temporary-folder.js';
import { createTestTerminal } from '../../helpers/terminal.js';

afterAll(removeTemporaryFolders);

const template = 'vscode://file/{path}:{line}:{column}';
const env = { TERM_PROGRAM: 'WezTerm' };

let root = '';
beforeAll(async () => {
  root = await temporaryFolder();
  await mkdir(join(root, 'src', 'a b'), { recursive: true });
  await writeFile(join(root, 'src', 'cart.ts'), '');
  await writeFile(join(root, 'src', 'a b', 'ü#;\u0007.ts'), '');
  await symlink('/etc', join(root, 'etc'));
});

function linkTo(path: string, form = template): string | undefined {
  return createEditorLinks({ template: form, root, env })?.({ path, line: 12, column: null });
}

describe('links to an editor', () => {
  it('name files that exist below the folder, by the end of their path too', () => {
    expect(linkTo('/srv/shop/src/cart.ts')).toBe(`vscode://file${root}/src/cart.ts:12:1`);
    expect(linkTo('src/cart.ts', 'file://{path}#L{line}')).toBe(`file://${root}/src/cart.ts#L12`);
  });

  it('have only printable ASCII without separators of escape sequences', () => {
    expect(linkTo('src/a b/ü#;\u0007.ts')).toBe(`vscode://file${root}/src/a%20b/%C3%BC%23%3B%07.ts:12:1`);
  });

  it.each([
    '../src/cart.ts',
    '/src/../../etc/passwd',
    '/etc/hostname-of-another',
    'src/none.ts',
    'src',
    'https://evil.test/x/y.ts',
    '\ud800/cart.ts',
    `${'a/'.repeat(5_000)}x`,
  ])('are missing for %j', (path) => {
    expect(linkTo(path)).toBeUndefined();
  });

  it('are off in terminals that do not have them', () => {
    const of = (given: NodeJS.ProcessEnv) => createEditorLinks({ template, root, env: given }) !== undefined;
    expect([{}, { TERM: 'xterm' }, { VTE_VERSION: '4902' }, { ...env, FORCE_HYPERLINK: '0' }].map(of)).not.toContain(
      true,
    );
    expect([{ TERM: 'xterm-kitty' }, { VTE_VERSION: '6003' }, { FORCE_HYPERLINK: '1' }].map(of)).not.toContain(false);
  });

  it('take no cells, and survive changes of their row', async () => {
    const linkOf = createEditorLinks({ template, root, env });
    const theme = createTheme({ hasColours: true, linkOf });
    const place = { path: 'src/cart.ts', line: 12, column: 7 };
    const row = (name: string, text: string) =>
      theme.paint([span(neutralise(name)), { ...span(neutralise(text), 'muted'), place }, span(neutralise(' end'))]);
    const terminal = createTestTerminal(20, 2);
    const painter = createRowPainter(terminal.output);
    painter.show([row('add ', 'cart.ts:12:7')]);
    expect(await terminal.settled()).toEqual(['add cart.ts:12:7 end', '']);
    const uri = `vscode://file${root}/src/cart.ts:12:7`;
    expect(terminal.written()).toContain(`\u001b]8;;${uri}\u001b\\cart.ts:12:7\u001b]8;;\u001b\\`);
    painter.show([row('add ', 'cart.ts:12:9 and more text')]);
    expect(await terminal.settled()).toEqual(['add cart.ts:12:9 and', '']);
    expect(terminal.written().slice(-60)).toContain('\u001b]8;;\u001b\\');
  });
});

describe('an escape sequence that is not a link', () => {
  it('stays visible', async () => {
    const terminal = createTestTerminal(30, 2);
    createRowPainter(terminal.output).show(['\u001b]8;;http://a b\u001b\\x', '\u001b]52;c;aGk=\u001b\\']);
    await terminal.settled();
    expect(terminal.written()).not.toMatch(/\u001b\](?:8;;http|52)/);
  });
});
