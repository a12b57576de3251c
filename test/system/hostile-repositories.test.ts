import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { chmod, cp, mkdir, readdir, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { blameLine } from '../../core/source-code/blame-line.js';
import { readGitCommits } from '../../core/source-code/git-commits.js';
import type { Git } from '../../core/source-code/open-git.js';
import { runGit } from '../../core/source-code/run-git.js';
import { removeTemporaryFolders, temporaryFolder } from '../helpers/temporary-folder.js';

afterAll(removeTemporaryFolders);

const SIGNATURES = ['PGP SIGNATURE', 'SSH SIGNATURE', 'SIGNED MESSAGE'];
const HOOKS = ['post-index-change', 'pre-commit', 'post-checkout', 'reference-transaction', 'fsmonitor-watchman'];

/** A home without a configuration, and the repository that the hostile ones are copies of. */
let home = '';
let clean = '';
/** What each caller finds in the clean repository. */
const expected = new Map<string, unknown>();

function git(folder: string, args: readonly string[], input = ''): string {
  const env = { PATH: process.env['PATH'], HOME: home, GIT_TERMINAL_PROMPT: '0' };
  const user = ['-c', 'user.name=Ann', '-c', 'user.email=ann@shop.test'];
  return execFileSync('git', ['-C', folder, ...user, ...args], { env, input, encoding: 'utf8', stdio: 'pipe' }).trim();
}

async function write(path: string, text: string): Promise<void> {
  await mkdir(dirname(path), { recursive: true });
  await writeFile(path, text);
}

/** Two ordinary commits and one for each kind of signature, all of the last year. */
beforeAll(async () => {
  home = await temporaryFolder();
  clean = await temporaryFolder();
  git(clean, ['init', '-q', '-b', 'main']);
  for (const text of ['one\ntwo\n', 'one\nzwei\n']) {
    await write(join(clean, 'src/cart.ts'), text);
    git(clean, ['add', '.']);
    git(clean, ['commit', '-qm', `Write ${text.length}`]);
  }
  for (const kind of SIGNATURES) {
    const [head, ...message] = git(clean, ['cat-file', 'commit', 'HEAD']).split('\n\n');
    const fields = `${head?.replace(/^parent .*\n/m, '').replace('\n', `\nparent ${git(clean, ['rev-parse', 'HEAD'])}\n`)}`;
    const signature = `gpgsig -----BEGIN ${kind}-----\n \n aGVsbG8=\n -----END ${kind}-----`;
    const signed = `${fields.split('\ngpgsig', 1)[0]}\n${signature}\n\n${message.join('\n\n')}\n`;
    git(clean, ['update-ref', 'HEAD', git(clean, ['hash-object', '-t', 'commit', '-w', '--stdin'], signed)]);
  }
  for (const [name, call] of Object.entries(CALLERS)) expected.set(name, await call(clean));
  expect(expected.get('the last commits')).toMatchObject({ length: 5, 4: { paths: ['src/cart.ts'] } });
  expect(expected.get('a suspect commit')).toMatchObject({ message: 'Write 9', line: 2 });
});

/** Every place where Faultline runs git. */
const CALLERS: Readonly<Record<string, (folder: string) => Promise<unknown>>> = {
  'the last commits': (folder) => readGitCommits('auto', folder, { ...process.env, HOME: home }),
  'the commits of a range': (folder) => readGitCommits('HEAD~4..HEAD', folder, { ...process.env, HOME: home }),
  'a suspect commit': (folder) => suspectCommit(folder, null),
  'a suspect commit of a release': (folder) => suspectCommit(folder, git(clean, ['rev-parse', 'HEAD'])),
};

/** Without the limit of time that a reader has, so that a busy machine finds it too. */
async function suspectCommit(folder: string, release: string | null): Promise<unknown> {
  const limits = { timeout: 60_000, maxBuffer: 1024 * 1024 };
  const env = { ...process.env, HOME: home };
  const run: Git = (place, args) => runGit(env, place, args, limits).catch(() => undefined);
  const line = { path: '/srv/shop/src/cart.ts', line: 2, release, atMs: Date.now() + 60_000 };
  return { ...(await blameLine(run, { path: folder }, line)), repository: 'here' };
}

/** A copy of the clean repository with a program, for its configuration, that leaves a file. */
interface Hostile {
  readonly folder: string;
  readonly program: string;
  set(key: string, value?: string): void;
  write(path: string, text: string): Promise<void>;
}

interface HostileRow {
  readonly name: string;
  readonly prepare: (hostile: Hostile) => Promise<void> | void;
  /** A git command that runs the program: the repository is hostile indeed. Undefined if that needs a terminal. */
  readonly provoke?: readonly string[];
  /** Whether what the callers read is missing or broken, so that they find nothing. */
  readonly isBroken?: true;
}

/** Turns a copy into a partial clone without the old texts, which git fetches when it needs them. */
async function asPartialClone({ folder, set }: Hostile): Promise<void> {
  const objects = join(folder, '.git/objects');
  for (const id of git(folder, ['rev-list', '--objects', '--all', '--', 'src']).split('\n')) {
    const [hash = ''] = id.split(' ');
    if (id.endsWith('cart.ts')) await rm(join(objects, hash.slice(0, 2), hash.slice(2)));
  }
  set('core.repositoryFormatVersion', '1');
  set('extensions.partialClone', 'origin');
  set('remote.origin.promisor', 'true');
  set('remote.origin.partialCloneFilter', 'blob:none');
}

/** The commit with the first of the signatures. */
const PGP_SIGNED = 'HEAD~2';
const OLD_TEXT = ['cat-file', '-p', 'HEAD:src/cart.ts'];

const ROWS: readonly HostileRow[] = [
  ...[
    ['gpg.program', PGP_SIGNED],
    ['gpg.openpgp.program', PGP_SIGNED],
    ['gpg.ssh.program', 'HEAD~1'],
    ['gpg.x509.program', 'HEAD'],
  ].map(([key = '', commit = '']): HostileRow => {
    return {
      name: `that verifies signatures with ${key}`,
      prepare: async ({ set, program }) => {
        set('log.showSignature', 'true');
        set('gpg.ssh.allowedSignersFile', program);
        set(key, program);
      },
      // Not all commits: a program of another signature that does not read its input may end git.
      provoke: ['log', '-1', commit],
    };
  }),
  {
    name: 'whose included configuration verifies signatures',
    prepare: async ({ set, write, program }) => {
      await write('included', `[log]\n\tshowSignature\n[gpg]\n\tprogram = ${program}\n`);
      set('include.path', '../included');
    },
    provoke: ['log', '-1', PGP_SIGNED],
  },
  {
    name: 'whose worktree has a configuration of its own',
    prepare: async ({ set, write, program }) => {
      set('core.repositoryFormatVersion', '1');
      set('extensions.worktreeConfig', 'true');
      await write('.git/config.worktree', `[log]\n\tshowSignature\n[gpg]\n\tprogram = ${program}\n`);
    },
    provoke: ['log', '-1', PGP_SIGNED],
  },
  {
    name: 'with a monitor of files',
    prepare: ({ set, program }) => set('core.fsmonitor', program),
    provoke: ['status'],
  },
  {
    name: 'with hooks',
    prepare: async ({ folder, program }) => {
      for (const hook of HOOKS) await cp(program, join(folder, '.git/hooks', hook));
    },
    provoke: ['commit', '--allow-empty', '-m', 'x'],
  },
  {
    name: 'with hooks in another folder',
    prepare: async ({ folder, program, set }) => {
      for (const hook of HOOKS) await cp(program, join(folder, 'own-hooks', hook));
      set('core.hooksPath', 'own-hooks');
    },
    provoke: ['commit', '--allow-empty', '-m', 'x'],
  },
  ...['filter.evil.clean', 'filter.evil.process', 'diff.evil.textconv', 'diff.evil.command'].map((key): HostileRow => {
    return {
      name: `whose attributes name ${key}`,
      prepare: async ({ set, write, program }) => {
        set(key, program);
        await write('.gitattributes', '* diff=evil filter=evil\n');
        await write('.git/info/attributes', '* diff=evil filter=evil\n');
        await write('src/cart.ts', 'changed\n');
      },
      provoke: ['diff'],
    };
  }),
  {
    name: 'with attributes in a file elsewhere',
    prepare: async ({ folder, set, write, program }) => {
      await write('attributes', '* diff=evil\n');
      set('core.attributesFile', join(folder, 'attributes'));
      set('diff.evil.textconv', program);
    },
    provoke: ['blame', 'src/cart.ts'],
  },
  {
    name: 'with an external diff',
    prepare: ({ set, program }) => set('diff.external', program),
    provoke: ['diff', 'HEAD~3', 'HEAD~4'],
  },
  {
    name: 'with pagers, an editor and aliases',
    prepare: ({ set, program }) => {
      for (const key of ['core.pager', 'pager.log', 'pager.blame', 'pager.config', 'core.editor']) set(key, program);
      for (const name of ['log', 'blame', 'config', 'rev-list', 'ls-tree']) set(`alias.${name}`, `!${program}`);
    },
  },
  {
    name: 'that is a partial clone from a program',
    prepare: async (hostile) => {
      await asPartialClone(hostile);
      hostile.set('remote.origin.url', hostile.folder);
      hostile.set('remote.origin.uploadpack', hostile.program);
    },
    provoke: OLD_TEXT,
    isBroken: true,
  },
  {
    name: 'that is a partial clone over ssh',
    prepare: async (hostile) => {
      await asPartialClone(hostile);
      hostile.set('remote.origin.url', 'git@shop.test:shop');
      hostile.set('core.sshCommand', hostile.program);
    },
    provoke: OLD_TEXT,
    isBroken: true,
  },
  {
    name: 'that is a partial clone over ext, a proxy and credential helpers',
    prepare: async (hostile) => {
      await asPartialClone(hostile);
      hostile.set('remote.origin.url', `ext::${hostile.program}`);
      for (const key of ['protocol.allow', 'protocol.ext.allow']) hostile.set(key, 'always');
      for (const key of ['core.gitProxy', 'credential.helper', 'core.askPass']) hostile.set(key, hostile.program);
    },
    provoke: OLD_TEXT,
    isBroken: true,
  },
  {
    name: 'whose alternates are listed by a program',
    prepare: async ({ set, write, program }) => {
      set('core.alternateRefsCommand', program);
      await write('.git/objects/info/alternates', join(clean, '.git/objects'));
    },
    provoke: ['rev-list', '--alternate-refs'],
  },
  {
    name: 'whose settings change what is printed',
    prepare: async ({ folder, set, write }) => {
      const values: Readonly<Record<string, string>> = {
        ...{ 'color.ui': 'always', 'color.diff': 'always', 'color.blame.highlightRecent': 'red,1 month ago,red' },
        ...{ 'format.pretty': 'raw', 'log.decorate': 'full', 'log.showRoot': 'false', 'log.abbrevCommit': 'true' },
        ...{ 'log.follow': 'true', 'log.diffMerges': 'remerge', 'log.date': 'unix', 'core.abbrev': '4' },
        ...{ 'diff.relative': 'true', 'diff.noPrefix': 'true', 'diff.orderFile': join(folder, 'missing') },
        ...{ 'diff.renames': 'copies', 'diff.submodule': 'log', 'submodule.recurse': 'true' },
        ...{ 'blame.showEmail': 'true', 'blame.showRoot': 'true' },
        ...{ 'blame.coloring': 'highlightRecent', 'blame.blankBoundary': 'true', 'blame.date': 'unix' },
        ...{ 'i18n.logOutputEncoding': 'UTF-16', 'core.quotePath': 'true', 'mailmap.file': join(folder, 'mailmap') },
        ...{ 'mailmap.blob': 'HEAD:src/cart.ts', 'notes.displayRef': 'refs/*', 'core.notesRef': 'refs/heads/main' },
      };
      for (const [key, value] of Object.entries(values)) set(key, value);
      await write('mailmap', 'Other <other@shop.test> <ann@shop.test>\n');
    },
  },
  {
    name: 'that replaces and grafts commits',
    prepare: async ({ folder, write }) => {
      git(folder, ['replace', 'HEAD', 'HEAD~4']);
      await write('.git/info/grafts', `${git(folder, ['rev-parse', 'HEAD'])}\n`);
    },
  },
  {
    name: 'with a value that git refuses',
    prepare: ({ set }) => set('core.abbrev', 'many'),
    isBroken: true,
  },
];

describe.each(ROWS)('a repository $name', ({ prepare, provoke, isBroken }) => {
  it('starts no program, and is read as a clean one', async () => {
    const around = await temporaryFolder();
    const [folder, witness, program] = [join(around, 'shop'), join(around, 'started'), join(around, 'program')];
    await cp(clean, folder, { recursive: true });
    await writeFile(program, `#!/bin/sh\necho started >>'${witness}'\nexit 1\n`);
    await chmod(program, 0o755);
    await prepare({
      ...{ folder, program },
      set: (key, value = program) => void git(folder, ['config', key, value]),
      write: (path, text) => write(join(folder, path), text),
    });
    for (const [name, call] of Object.entries(CALLERS)) {
      const found = await call(folder).catch((error: unknown) => error);
      expect([name, existsSync(witness)]).toEqual([name, false]);
      if (isBroken !== true) expect([name, found]).toEqual([name, expected.get(name)]);
    }
    if (provoke === undefined) return;
    try {
      git(folder, provoke);
    } catch {
      // The program fails, and git with it.
    }
    expect([await readdir(around), existsSync(witness)]).toEqual([expect.anything(), true]);
  });
});

describe('a PATH with a relative folder', () => {
  it('does not find a git in the repository', async () => {
    const folder = await temporaryFolder();
    await cp(clean, folder, { recursive: true });
    await writeFile(join(folder, 'git'), '#!/bin/sh\ntouch started\n');
    await chmod(join(folder, 'git'), 0o755);
    const before = process.cwd();
    try {
      process.chdir(folder);
      const env = { HOME: home, PATH: `.::bin:${process.env['PATH']}` };
      expect(await readGitCommits('auto', folder, env)).toHaveLength(2 + SIGNATURES.length);
    } finally {
      process.chdir(before);
    }
    expect(existsSync(join(folder, 'started'))).toBe(false);
  });
});
