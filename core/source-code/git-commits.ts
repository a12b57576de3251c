import { type ExecFileOptions, execFile } from 'node:child_process';
import { promisify } from 'node:util';
import type { ReleaseCommit } from '../../generated/reader-answers.js';
import { Fault } from '../event/fault.js';
import { formatTimestamp, parseTimestamp } from '../normalize/timestamp.js';
import { GIT_OPTIONS, gitEnvironment } from './open-git.js';

const MAX_COMMITS = 500;
const AUTO_COMMITS = 100;
const MAX_PATHS = 100;
const MAX_PATH = 300;
const MAX_TEXT = 200;
const TIMEOUT_MS = 20_000;
const MAX_OUTPUT_BYTES = 32 * 1024 * 1024;

/**
 * Reads commits of the git repository at a folder, newest first: `auto`, the last 100, or a range, at most 500. Throws `ARGUMENT_INVALID` for
 * text that is not a range, and `GIT_FAILED`.
 */
export async function readGitCommits(range: string, folder: string, env: NodeJS.ProcessEnv): Promise<ReleaseCommit[]> {
  if (range !== 'auto' && (range.startsWith('-') || !range.includes('..'))) {
    throw new Fault('ARGUMENT_INVALID', `--commits ${range} must be auto or a range such as v2.4.0..v2.4.1.`);
  }
  const count = range === 'auto' ? AUTO_COMMITS : MAX_COMMITS;
  const format = '--format=%x01%H%x1f%an%x1f%ae%x1f%cI%x1f%s';
  const options = { env: gitEnvironment(env), timeout: TIMEOUT_MS, maxBuffer: MAX_OUTPUT_BYTES };
  const git = (args: readonly string[]) => runGit(folder, args, options);
  const log = await git([
    'log',
    `-n${count}`,
    '--name-only',
    '--no-renames',
    format,
    range === 'auto' ? 'HEAD' : range,
    '--',
  ]);
  const remote = await git(['config', '--get', 'remote.origin.url']).catch(() => '');
  const repository = repositoryOf(remote.trim());
  return log
    .split('\u0001')
    .slice(1)
    .map((entry) => parseEntry(entry, repository));
}

function parseEntry(entry: string, repository: string | null): ReleaseCommit {
  const [head = '', ...lines] = entry.split('\n');
  const [id = '', author = '', email = '', time = '', subject = ''] = head.split('\u001f');
  const at = parseTimestamp(time);
  return {
    id,
    author_name: author.slice(0, MAX_TEXT) || null,
    author_email: email.slice(0, MAX_TEXT) || null,
    timestamp: at === undefined ? null : formatTimestamp(at),
    message: subject.slice(0, MAX_TEXT),
    repository,
    // git quotes names with control characters.
    paths: lines.filter((line) => line !== '' && !line.startsWith('"') && line.length <= MAX_PATH).slice(0, MAX_PATHS),
  };
}

/** The last two parts of an address, such as `acme/shop`: the rest may hold credentials. */
function repositoryOf(address: string): string | null {
  const parts = address
    .slice(0, 1_000)
    .split(/[/:]/)
    .filter((part) => part !== '' && !part.includes('@'));
  return (
    parts
      .slice(-2)
      .join('/')
      .replace(/\.git$/, '') || null
  );
}

async function runGit(folder: string, args: readonly string[], options: ExecFileOptions): Promise<string> {
  try {
    const all = [...GIT_OPTIONS, '-c', 'core.quotepath=off', '-C', folder, ...args];
    const { stdout } = await promisify(execFile)('git', all, { ...options, encoding: 'utf8' });
    return stdout;
  } catch (cause) {
    const said = cause instanceof Error && 'stderr' in cause ? String(cause.stderr).trim().split('\n', 1)[0] : '';
    const why = said || (cause instanceof Error ? cause.message : String(cause));
    throw new Fault('GIT_FAILED', `git ${args[0]} failed: ${why}`, { cause });
  }
}
