import { execFileSync } from 'node:child_process';
import { mkdir, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { sourcePaths } from '../../../core/source-code/source-paths.js';
import { readSourceLines } from '../../../tui/effects/source-lines.js';
import { removeTemporaryFolders, temporaryFolder } from '../../helpers/temporary-folder.js';

afterAll(removeTemporaryFolders);

/** A command of the system, like `sh`, because Node cannot create named pipes. */
const MAKE_PIPE = 'mkfifo';

let root = '';
beforeAll(async () => {
  root = await temporaryFolder();
  await mkdir(join(root, 'src', 'cart'), { recursive: true });
  const text = Array.from({ length: 50 }, (_, n) => `line ${n + 1}`).join('\r\n');
  await writeFile(join(root, 'src', 'cart', 'x.js'), text);
  await writeFile(join(root, 'empty.js'), '');
  await writeFile(join(root, 'binary.js'), Buffer.from([1, 0, 2]));
  await writeFile(join(root, 'large.js'), Buffer.alloc(2 * 1024 * 1024 + 1, 'x'));
  await writeFile(join(root, 'long.js'), 'y'.repeat(1024 * 1024));
  await symlink('/dev/zero', join(root, 'zero.js'));
  execFileSync(MAKE_PIPE, [join(root, 'pipe.js')]);
});

const read = (path: string, line = 10) => readSourceLines({ path, line, around: 1, roots: [root] });

describe('lines of a source', () => {
  it.each([
    ['an unchanged path', () => join(root, 'src/cart/x.js')],
    ['an address of a file', () => pathToFileURL(join(root, 'src/cart/x.js')).href],
    ['a path under a root', () => 'src/cart/x.js'],
    ['a path with a dot', () => './src/cart/x.js'],
    ['a path of another machine', () => '/srv/api/src/cart/x.js'],
    ['a path of Windows', () => 'C:\\builds\\api\\src\\cart\\x.js'],
    ['an address of a web server', () => 'https://shop.example/assets/src/cart/x.js?v=1#x'],
    ['an address of a bundler', () => 'webpack://shop/./src/cart/x.js'],
  ])('are found by %s', async (_what, path) => {
    expect(await read(path())).toEqual({
      path: join(root, 'src/cart/x.js'),
      firstLine: 9,
      lines: ['line 9', 'line 10', 'line 11'],
    });
  });

  it('begin and end with the file', async () => {
    expect(await read('src/cart/x.js', 1)).toMatchObject({ firstLine: 1, lines: ['line 1', 'line 2'] });
    expect(await read('src/cart/x.js', 50)).toMatchObject({ firstLine: 49, lines: ['line 49', 'line 50'] });
    expect(await read('long.js', 1)).toMatchObject({ lines: ['y'.repeat(1_000)] });
  });

  it.each([
    ['src/cart/x.js', 51],
    ['src/cart/x.js', 0],
    ['src/cart/x.js', Number.NaN],
    ['nowhere.js', 1],
    ['src', 1],
    ['pipe.js', 1],
    ['zero.js', 1],
    ['binary.js', 1],
    ['large.js', 1],
    ['\0', 1],
    ['', 1],
    [`/${'a/'.repeat(1_000_000)}`, 1],
    ['file://host/%zz', 1],
  ])('are not read without such a line of a text file: %#', async (path, line) => {
    expect(await read(path, line)).toBeUndefined();
  });

  it('are never those of another file of the same name', async () => {
    expect(await read('/srv/other/x.js')).toBeUndefined();
    expect(await read('/srv/api/lib/empty.js')).toBeUndefined();
  });
});

describe('the search for a source file', () => {
  it('never goes above a root, and is bounded', () => {
    expect(sourcePaths('/srv/../../../etc/passwd', ['/root'])).toEqual(['/srv/../../../etc/passwd']);
    expect(sourcePaths('C:\\x\\..\\..\\etc\\passwd', ['/root'])).toEqual([]);
    expect(
      sourcePaths(
        `/${'a/'.repeat(1_000)}x.js`,
        Array.from({ length: 100 }, (_, n) => `/r${n}`),
      ).length,
    ).toBeLessThan(220);
    expect(sourcePaths('x.js', ['relative'])).toEqual([]);
  });
});
