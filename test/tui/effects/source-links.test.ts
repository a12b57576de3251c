import { mkdir, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createSourceLinks, hasHyperlinks, readReleaseCommit } from '../../../tui/effects/source-links.js';
import { RowPainter } from '../../../tui/terminal/row-painter.js';
import { createTheme } from '../../../tui/terminal/theme.js';
import { span } from '../../../tui/text/line.js';
import { neutralise } from '../../../tui/text/visible.js';
import { removeTemporaryFolders, temporaryFolder } from '../../helpers/temporary-folder.js';
import { createTestTerminal } from '../../helpers/terminal.js';

afterAll(removeTemporaryFolders);

const template = 'vscode://file/{path}:{line}:{column}';
const source = 'https://git.test/shop/blob/{commit}/{path}#L{line}';
const commitOf = (release: string) => (release === 'v1' ? 'c3728e0a' : undefined);

let root = '';
beforeAll(async () => {
  root = await temporaryFolder();
  await mkdir(join(root, 'src', 'a b'), { recursive: true });
  await writeFile(join(root, 'src', 'cart.ts'), '');
  await writeFile(join(root, 'src', 'a b', 'ü#;\u0007.ts'), '');
  await symlink('/etc', join(root, 'etc'));
});

function linkTo(path: string, form = template): string | undefined {
  return createSourceLinks({ editor: form, root, commitOf })?.({ path, line: 12, column: null, release: null });
}

function sourceLink(path: string, release: string | null = 'v1', links = { source }): string | undefined {
  return createSourceLinks({ ...links, root, commitOf })?.({ path, line: 12, column: 7, release });
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

  it('take no cells, and survive changes of their row', async () => {
    const linkOf = createSourceLinks({ editor: template, root, commitOf });
    const theme = createTheme({ hasColours: true, linkOf });
    const place = { path: 'src/cart.ts', line: 12, column: 7, release: null };
    const row = (name: string, text: string) =>
      theme.paint([span(neutralise(name)), { ...span(neutralise(text), 'muted'), place }, span(neutralise(' end'))]);
    const terminal = createTestTerminal(20, 2);
    const painter = new RowPainter(terminal.output);
    painter.show([row('add ', 'cart.ts:12:7')]);
    expect(await terminal.settled()).toEqual(['add cart.ts:12:7 end', '']);
    const uri = `vscode://file${root}/src/cart.ts:12:7`;
    expect(terminal.written()).toContain(`\u001b]8;;${uri}\u001b\\cart.ts:12:7\u001b]8;;\u001b\\`);
    painter.show([row('add ', 'cart.ts:12:9 and more text')]);
    expect(await terminal.settled()).toEqual(['add cart.ts:12:9 and', '']);
    expect(terminal.written().slice(-60)).toContain('\u001b]8;;\u001b\\');
  });
});

describe('links to the source', () => {
  it('name the commit of the release, and a file by its path below the folder or as the event has it', () => {
    expect(sourceLink('/srv/shop/src/cart.ts')).toBe('https://git.test/shop/blob/c3728e0a/src/cart.ts#L12');
    expect(sourceLink('./app/a b.py')).toBe('https://git.test/shop/blob/c3728e0a/app/a%20b.py#L12');
    expect(sourceLink('app/x.py', null, { source: 'https://git.test/{path}?c={column}' })).toBe(
      'https://git.test/app/x.py?c=7',
    );
  });

  it('yield to the editor for a file that is here', () => {
    const both = createSourceLinks({ editor: template, source, root, commitOf });
    const place = { line: 12, column: 7, release: 'v1' };
    expect(both?.({ ...place, path: 'src/cart.ts' })).toBe(`vscode://file${root}/src/cart.ts:12:7`);
    expect(both?.({ ...place, path: 'src/other.ts' })).toBe('https://git.test/shop/blob/c3728e0a/src/other.ts#L12');
  });

  it.each([
    ['src/cart.ts', null],
    ['src/cart.ts', 'v2'],
    ['../src/cart.ts', 'v1'],
    ['src/../../x.ts', 'v1'],
    ['/srv/none.ts', 'v1'],
    ['https://evil.test/x/y.ts', 'v1'],
    ['\\\\share\\x/y.ts', 'v1'],
    ['node_modules/x/y.js', 'v1'],
    ['cart', 'v1'],
    ['a/\ud800.ts', 'v1'],
  ])('are missing for %j of %j', (path, release) => {
    expect(sourceLink(path, release)).toBeUndefined();
  });

  it('have the newest commit of a release, else its name', async () => {
    const commits = { v1: { commit_list: [{ id: 'new' }, { id: 'old' }] }, v2: { commit_list: [] } };
    const getRelease = async (name: string) => {
      if (name === 'v4') throw new Error('unreachable');
      return commits[name as 'v1'] as never;
    };
    const found = ['v1', 'v2', 'v3', 'v4'].map((name) => readReleaseCommit({ getRelease }, name));
    expect(await Promise.all(found)).toEqual(['new', 'v2', 'v3', 'v4']);
  });
});

describe('a terminal', () => {
  const known = { TERM_PROGRAM: 'WezTerm' };

  it.each([{}, { TERM: 'xterm' }, { VTE_VERSION: '4902' }, { ...known, FORCE_HYPERLINK: '0' }])(
    'has no links with %j',
    (env) => expect(hasHyperlinks(env)).toBe(false),
  );

  it.each([known, { TERM: 'xterm-kitty' }, { VTE_VERSION: '6003' }, { FORCE_HYPERLINK: '1' }])(
    'has links with %j, unless it is dumb or NO_COLOR is set',
    (env) => {
      expect(hasHyperlinks(env)).toBe(true);
      expect(hasHyperlinks({ ...env, NO_COLOR: '1' })).toBe(false);
      expect(hasHyperlinks({ ...env, TERM: 'dumb' })).toBe(false);
    },
  );
});

describe('an escape sequence that is not a link', () => {
  it('stays visible', async () => {
    const terminal = createTestTerminal(30, 2);
    new RowPainter(terminal.output).show(['\u001b]8;;http://a b\u001b\\x', '\u001b]52;c;aGk=\u001b\\']);
    await terminal.settled();
    expect(terminal.written()).not.toMatch(/\u001b\](?:8;;http|52)/);
  });
});
