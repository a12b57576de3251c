import { spawn } from 'node:child_process';
import { EventEmitter } from 'node:events';
import { chmod, mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { editorCommand, openEditor, type SpawnedEditor, splitWords } from '../../../tui/effects/editor.js';
import { removeTemporaryFolders, temporaryFolder } from '../../helpers/temporary-folder.js';

afterAll(removeTemporaryFolders);

const at = (EDITOR: string, env: NodeJS.ProcessEnv = {}) =>
  editorCommand({ env: { EDITOR, ...env }, path: '/a b.js', line: 12 });

describe('the words of an editor', () => {
  it.each([
    ['code --wait', ['code', '--wait']],
    ['  "/opt/my editor/ed" -x ', ['/opt/my editor/ed', '-x']],
    ["'a b'c", ['a bc']],
    ['a\\ b "c\\"d" \'e\\f\'', ['a b', 'c"d', 'e\\f']],
    ['vi ""', ['vi', '']],
    ['vi; $(rm -rf ~) | cat', ['vi;', '$(rm', '-rf', '~)', '|', 'cat']],
    ['', []],
  ])('%j', (text, words) => {
    expect(splitWords(text)).toEqual(words);
  });

  it('are undefined if a quote is never closed', () => {
    expect(splitWords('vi "x')).toBeUndefined();
  });
});

describe('the command of an editor', () => {
  it.each([
    ['vi', ['+12', '/a b.js']],
    ['/usr/bin/vim', ['--cmd', 'set nomodeline', '+12', '/a b.js']],
    ['nvim -p', ['-p', '--cmd', 'set nomodeline', '+12', '/a b.js']],
    ['nano', ['+12', '/a b.js']],
    ['emacsclient -t', ['-t', '+12', '/a b.js']],
    ['kak', ['+12', '/a b.js']],
    ['hx', ['/a b.js:12']],
    ['micro', ['/a b.js:12']],
    ['code --wait', ['--wait', '-g', '/a b.js:12']],
    ['codium', ['-g', '/a b.js:12']],
    ['subl', ['/a b.js:12']],
    ['zed', ['/a b.js:12']],
    ['idea', ['--line', '12', '/a b.js']],
    ['neovi', ['+12', '/a b.js']],
    ['/opt/own-editor', ['/a b.js']],
  ])('%s', (editor, args) => {
    expect(at(editor).args).toEqual(args);
  });

  it('is that of VISUAL, then that of EDITOR, then vi', () => {
    expect(at('nano', { VISUAL: 'micro' }).program).toBe('micro');
    expect(at('nano', { VISUAL: ' ' }).program).toBe('nano');
    expect(editorCommand({ env: {}, path: 'x', line: 1 }).program).toBe('vi');
  });

  it('reports whether it needs our terminal', () => {
    const needs = (editor: string, env: NodeJS.ProcessEnv = {}) => at(editor, env).needsTerminal;
    expect(['vi', 'nano', 'hx', '/opt/own-editor'].map((editor) => needs(editor))).toEqual([true, true, true, true]);
    expect(['code', 'subl', 'zed', 'gvim'].map((editor) => needs(editor))).toEqual([false, false, false, false]);
    expect([needs('emacs', { DISPLAY: ':0' }), needs('emacs -nw', { DISPLAY: ':0' }), needs('emacs')]).toEqual([
      false,
      true,
      true,
    ]);
  });

  it('never takes a path or a line for an option', () => {
    for (const path of ['-c:q', '+!sh', '--line']) {
      const { args } = editorCommand({ env: { EDITOR: 'vi' }, path, line: Number.NaN });
      expect(args).toEqual(['+1', join(process.cwd(), path)]);
    }
  });

  it('cannot be built from an invalid command line', () => {
    for (const EDITOR of ['"vi', '""', "''  x"]) {
      expect(() => at(EDITOR)).toThrow(expect.objectContaining({ code: 'EDITOR_INVALID' }));
    }
  });
});

describe('opening an editor', () => {
  async function ownEditor(script: string) {
    const folder = await temporaryFolder();
    const [program, file, out] = ['my editor', '-x $(touch gone).js', 'out'].map((name) => join(folder, name));
    if (program === undefined || file === undefined || out === undefined) throw new Error('no paths');
    await writeFile(program, `#!/bin/sh\n${script}\n`);
    await chmod(program, 0o755);
    await writeFile(file, 'x');
    return { file, out, env: { EDITOR: `"${program}" -w`, OUT: out, PATH: process.env['PATH'] } };
  }
  /** Spawns a process without our terminal. */
  const spawnProcess = (program: string, args: readonly string[], options: object): SpawnedEditor =>
    spawn(program, args, { ...options, stdio: 'ignore' });

  it('passes the file as one argument, without a shell', async () => {
    const { file, out, env } = await ownEditor('printf "%s\\n" "$@" > "$OUT"');
    expect(await openEditor({ env, path: file, line: 3, spawnProcess })).toEqual({ kind: 'closed' });
    expect(await readFile(out, 'utf8')).toBe(`-w\n${file}\n`);
  });

  it('reports how it failed', async () => {
    const { file, env } = await ownEditor('exit 3');
    expect(await openEditor({ env, path: file, line: 3, spawnProcess })).toMatchObject({
      kind: 'failed',
      reason: expect.stringMatching(/ended with code 3$/),
    });
    expect(await openEditor({ env: { EDITOR: '/nowhere/vi' }, path: file, line: 1, spawnProcess })).toMatchObject({
      kind: 'failed',
      reason: expect.stringContaining('does not start'),
    });
  });

  it('opens only files', async () => {
    const folder = await temporaryFolder();
    await mkdir(join(folder, 'sub'));
    for (const path of [join(folder, 'none'), join(folder, 'sub'), '/dev/null', '']) {
      expect(await openEditor({ env: { EDITOR: 'false' }, path, line: 1, spawnProcess })).toMatchObject({
        kind: 'failed',
      });
    }
  });

  it('does not wait for an editor with its own window, unless it fails at once', async () => {
    const { file } = await ownEditor('true');
    const child = Object.assign(new EventEmitter(), { unref: () => undefined });
    const options: unknown[] = [];
    const spawnWindow = (_program: string, _args: readonly string[], given: object): SpawnedEditor => {
      options.push(given);
      return child;
    };
    const call = { env: { EDITOR: 'code --wait' }, path: file, line: 1, spawnProcess: spawnWindow, windowWaitMs: 1 };
    expect(await openEditor(call)).toEqual({ kind: 'opened' });
    expect(options).toMatchObject([{ stdio: 'ignore', detached: true }]);
    const failing = openEditor({ ...call, windowWaitMs: 60_000 });
    while (child.listenerCount('exit') < 2) await new Promise((resolve) => setImmediate(resolve));
    child.emit('exit', 1, null);
    expect(await failing).toEqual({ kind: 'failed', reason: 'code ended with code 1' });
  });
});
