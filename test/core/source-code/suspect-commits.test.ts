import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { chmod, mkdir, readFile, symlink, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { createSuspectCommits, type SuspectCommitOptions } from '../../../core/source-code/suspect-commits.js';
import type { ReleaseDetail, SuspectCommit } from '../../../generated/reader-answers.js';
import { removeTemporaryFolders, temporaryFolder } from '../../helpers/temporary-folder.js';
import { waitFor } from '../../helpers/wait-for.js';
import { createArrayReader, sampleEvent, sampleIssue, sampleIssueId } from '../../tui/array-reader.js';

afterAll(removeTemporaryFolders);

const EVENT_TIME = '2026-11-20T10:00:00.000000000+00:00';
const CART = 'src/cart/add-line.ts';
const TEXT = Array.from({ length: 9 }, (_, n) => `line ${n + 1}`);

let shop = '';
const ids: Record<string, string> = {};

function git(folder: string, ...args: string[]): string {
  return execFileSync('git', ['-C', folder, '-c', 'user.name=Ann', '-c', 'user.email=ann@shop.test', ...args], {
    encoding: 'utf8',
    stdio: 'pipe',
  }).trim();
}

async function write(folder: string, path: string, text: string): Promise<void> {
  await mkdir(dirname(join(folder, path)), { recursive: true });
  await writeFile(join(folder, path), text);
}

/** Commits everything at a date, and returns the commit's id. */
function commit(folder: string, message: string, date: string): string {
  git(folder, 'add', '-A');
  const dated = { ...process.env, GIT_AUTHOR_DATE: date, GIT_COMMITTER_DATE: date };
  const args = ['-C', folder, '-c', 'user.name=Ann', '-c', 'user.email=ann@shop.test', 'commit', '-qm', message];
  execFileSync('git', args, { env: dated });
  return git(folder, 'rev-parse', 'HEAD');
}

/** Line 1 is of 2024, line 2 of a month before the event, line 3 of after it; the file was renamed in between. */
beforeAll(async () => {
  shop = await temporaryFolder();
  git(shop, 'init', '-q');
  await write(shop, 'src/old-name.ts', TEXT.join('\n'));
  await write(shop, 'server.ts', 'one\n');
  await symlink('/etc/passwd', join(shop, 'src', 'passwd.ts'));
  ids['first'] = commit(shop, 'Start the shop', '2024-01-01T00:00:00Z');
  await mkdir(join(shop, 'src', 'cart'));
  git(shop, 'mv', 'src/old-name.ts', CART);
  commit(shop, 'Rename', '2026-10-01T00:00:00Z');
  await write(shop, CART, ['line 1', 'line 2 counts', ...TEXT.slice(2)].join('\n'));
  await write(shop, 'server.ts', 'two\n');
  ids['second'] = commit(shop, `Count ${'x'.repeat(300)}\n\nMore words`, '2026-10-20T12:00:00Z');
  await write(shop, CART, ['line 1', 'line 2 counts', 'line 3 fixed', ...TEXT.slice(3)].join('\n'));
  ids['third'] = commit(shop, 'Fix', '2026-11-25T00:00:00Z');
});

interface Asked extends Partial<SuspectCommitOptions> {
  file: string;
  line?: number;
  release?: string;
  stack?: string;
  releases?: Readonly<Record<string, unknown>>;
}

/** The suspect commit of an issue whose only event has one frame. */
async function suspect({ file, line = 2, release, stack, releases, ...options }: Asked): Promise<SuspectCommit | null> {
  const reader = createArrayReader({
    issues: [sampleIssue(1)],
    events: [
      sampleEvent(1, 1, {
        stack: stack ?? `Error: no\n    at addLine (${file}:${line}:7)`,
        timestamp: EVENT_TIME,
        ...(release !== undefined && { release }),
      }),
    ],
  });
  const getRelease = async (name: string) => releases?.[name] as ReleaseDetail | undefined;
  const withSuspects = createSuspectCommits({ repositories: [{ path: shop }], ...options });
  const issue = await withSuspects({ ...reader, getRelease }).getIssue(sampleIssueId(1));
  expect(issue).toHaveProperty('suspect_commit');
  return issue?.suspect_commit ?? null;
}

describe('blame', () => {
  it('finds the commit that changed the line last, with its author and date', async () => {
    expect(await suspect({ file: `/srv/shop/${CART}` })).toEqual({
      id: ids['second'],
      author_name: 'Ann',
      author_email: 'ann@shop.test',
      timestamp: '2026-10-20T12:00:00.000000000+00:00',
      message: `Count ${'x'.repeat(194)}`,
      repository: shop,
      path: CART,
      line: 2,
      source: 'blame',
    });
  });

  it.each(['cart/add-line.ts', `./${CART}`, `/${CART}`, `file:///srv/shop/${CART}`, `webpack://shop/./${CART}`])(
    'takes %s by the longest end of its path',
    async (file) => {
      const found = await suspect({ file });
      expect(found?.id).toBe(file === 'cart/add-line.ts' ? undefined : ids['second']);
    },
  );

  it('maps the start of a path to a folder of the repository', async () => {
    const repositories = [{ path: shop, prefix_map: { '/app': 'src', '/app/root/': '.', '/out': '../..' } }];
    expect((await suspect({ file: '/app/cart/add-line.ts', repositories }))?.path).toBe(CART);
    expect((await suspect({ file: '/app/root/server.ts', line: 1, repositories }))?.path).toBe('server.ts');
    expect(await suspect({ file: '/application/cart/add-line.ts', repositories })).toBeNull();
    expect(await suspect({ file: '/out/etc/passwd', repositories })).toBeNull();
  });

  it('is of the application, not of a library', async () => {
    const stack = `Error: no\n    at query (/srv/shop/node_modules/pg/${CART}:2:1)`;
    expect(await suspect({ file: '', stack })).toBeNull();
    const both = `${stack}\n    at addLine (/srv/shop/${CART}:2:7)`;
    expect((await suspect({ file: '', stack: both }))?.id).toBe(ids['second']);
  });

  it('ignores commits after the event and those more than a year before it', async () => {
    expect(await suspect({ file: `/srv/shop/${CART}`, line: 1 })).toBeNull();
    expect(await suspect({ file: `/srv/shop/${CART}`, line: 3 })).toBeNull();
  });

  it('reads the commit that the release names', async () => {
    const release = ids['third'] ?? '';
    expect((await suspect({ file: `/srv/shop/${CART}`, line: 3, release }))?.id).toBe(release);
  });

  it('finds nothing in a line beyond the end', async () => {
    expect(await suspect({ file: `/srv/shop/${CART}`, line: 4_000 })).toBeNull();
  });

  it('knows a bare repository and a shallow clone, whose oldest commit is not to blame', async () => {
    const folder = await temporaryFolder();
    git(folder, 'clone', '-q', '--bare', shop, 'bare');
    git(folder, 'clone', '-q', '--depth', '1', `file://${shop}`, 'shallow');
    expect((await suspect({ file: `/srv/${CART}`, repositories: [{ path: join(folder, 'bare') }] }))?.id).toBe(
      ids['second'],
    );
    const release = ids['third'] ?? '';
    const repositories = [{ path: join(folder, 'shallow') }];
    expect(await suspect({ file: `/srv/${CART}`, line: 3, release, repositories })).toBeNull();
  });
});

describe('a hostile path', () => {
  it.each([
    ['leaves the folder', `../${CART}`],
    ['leaves it in between', `/srv/../../${CART}`],
    ['is of another file of the machine', '/etc/passwd'],
    ['is a symbolic link', '/srv/shop/src/passwd.ts'],
    ['is an option', '-rf'],
    ['is an option that writes', `--output=${CART}`],
    ['has a pathspec', ':(top)src/cart/add-line.ts'],
    ['has a glob', '/srv/src/cart/*.ts'],
    ['is a folder', '/srv/shop/src/cart'],
    ['is long', `/${'a/'.repeat(5_000)}${CART}`],
    ['is a URL with credentials', 'https://user:secret@evil.test/etc/passwd'],
  ])('that %s finds nothing', async (_, file) => {
    expect(await suspect({ file, line: 1 })).toBeNull();
  });

  it('with a newline, a null or an escape finds nothing', async () => {
    for (const part of ['\n', '\0', '\u001b[2J']) expect(await suspect({ file: `/srv/${part}/${CART}x` })).toBeNull();
  });
});

describe('git', () => {
  it('gets no variables of the environment but the path and the home', async () => {
    const env = { ...process.env, GIT_DIR: '/nowhere', GIT_EXTERNAL_DIFF: 'false', GIT_CONFIG_COUNT: 'x' };
    expect((await suspect({ file: `/srv/${CART}`, env }))?.id).toBe(ids['second']);
  });

  // Every setting alone: `test/system/hostile-repositories.test.ts`.
  it('starts no program that its repository names', async () => {
    const around = await temporaryFolder();
    const [folder, program, witness] = [join(around, 'shop'), join(around, 'program'), join(around, 'started')];
    git(around, 'clone', '-q', shop, folder);
    await write(around, 'program', `#!/bin/sh\necho started >'${witness}'\nexit 1\n`);
    await chmod(program, 0o755);
    git(folder, 'config', 'log.showSignature', 'true');
    for (const key of ['core.fsmonitor', 'core.pager', 'gpg.program', 'diff.external', 'diff.evil.textconv']) {
      git(folder, 'config', key, program);
    }
    await write(folder, '.git/info/attributes', '* diff=evil\n');
    expect((await suspect({ file: `/srv/${CART}`, repositories: [{ path: folder }] }))?.id).toBe(ids['second']);
    expect(existsSync(witness)).toBe(false);
    git(folder, 'status');
    expect(existsSync(witness)).toBe(true);
  });
});

describe('a git that does not work', () => {
  async function problems(asked: Partial<Asked>): Promise<string[]> {
    const said: string[] = [];
    const onProblem = (sentence: string) => void said.push(sentence);
    expect(await suspect({ file: `/srv/${CART}`, onProblem, ...asked })).toBeNull();
    return said;
  }

  async function fakeGit(script: string): Promise<string> {
    const folder = await temporaryFolder();
    await writeFile(join(folder, 'git'), `#!/bin/sh\n${script}\n`);
    await chmod(join(folder, 'git'), 0o755);
    return folder;
  }

  it('is reported once: missing, not a repository, or of another user', async () => {
    const empty = await temporaryFolder();
    expect(await problems({ env: { PATH: empty } })).toEqual([
      'git is not installed: suspect commits are not looked up',
    ]);
    expect(await problems({ repositories: [{ path: empty }] })).toEqual([`${empty} is not a git repository`]);
    const PATH = await fakeGit('echo "fatal: detected dubious ownership in repository" >&2; exit 128');
    const [said] = await problems({ env: { PATH } });
    expect(said).toContain(`git config --global --add safe.directory ${shop}`);
  });

  it('is killed after two seconds, and the issue is read without a suspect', async () => {
    const folder = await temporaryFolder();
    const PATH = `${await fakeGit(`echo $$ > '${folder}/pid'; exec sleep 600`)}:${process.env['PATH']}`;
    expect(await suspect({ file: `/srv/${CART}`, env: { PATH } })).toBeNull();
    const pid = Number(await readFile(join(folder, 'pid'), 'utf8'));
    await waitFor('git to be killed', () => {
      try {
        process.kill(pid, 0);
        return false;
      } catch {
        return true;
      }
    });
  });
});

describe('a release with commits', () => {
  const sent = {
    author_name: 'Bob',
    author_email: null,
    timestamp: EVENT_TIME,
    message: 'Sent',
    repository: 'acme/shop',
  };
  const releases = {
    v2: {
      commit_list: [
        { ...sent, id: 'cccc', paths: ['docs/cart.md'] },
        { ...sent, id: 'bbbb', paths: ['README.md', CART] },
        { ...sent, id: 'aaaa', paths: [CART] },
      ],
    },
  };

  it('has its newest commit that touched the file as suspect, without a repository too', async () => {
    const expected = { ...sent, id: 'bbbb', path: CART, line: 2, source: 'release' };
    expect(await suspect({ file: `/srv/shop/${CART}`, release: 'v2', releases, repositories: [] })).toEqual(expected);
  });

  it('falls back to blame if no commit touched the file, or the release is unknown', async () => {
    const others = { v2: { commit_list: releases.v2.commit_list.slice(0, 1) } };
    expect((await suspect({ file: `/srv/${CART}`, release: 'v2', releases: others }))?.source).toBe('blame');
    expect((await suspect({ file: `/srv/${CART}`, release: 'v3', releases }))?.source).toBe('blame');
  });
});
