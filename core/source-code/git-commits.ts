import type { ReleaseCommit } from '../../generated/reader-answers.js';
import { COMMIT_LIMITS } from '../contract/reader.js';
import { Fault, messageOf } from '../event/fault.js';
import { cutText } from '../event/text.js';
import { formatTimestamp, parseTimestamp } from '../normalize/timestamp.js';
import { type GitCommand, runGit } from './run-git.js';

const AUTO_COMMITS = 100;
const MAX_TEXT = COMMIT_LIMITS.textUnits;
const LIMITS = { timeout: 20_000, maxBuffer: 32 * 1024 * 1024 };

/**
 * Reads commits of the git repository at a folder, newest first: `auto`, the last 100, or a range, at most 500. Throws `ARGUMENT_INVALID` for
 * text that is not a range, and `GIT_FAILED`.
 */
export async function readGitCommits(range: string, folder: string, env: NodeJS.ProcessEnv): Promise<ReleaseCommit[]> {
  if (range !== 'auto' && (range.startsWith('-') || !range.includes('..'))) {
    throw new Fault('ARGUMENT_INVALID', `--commits ${range} must be auto or a range such as v2.4.0..v2.4.1.`);
  }
  const count = range === 'auto' ? AUTO_COMMITS : COMMIT_LIMITS.commits;
  const format = '--format=%x01%H%x1f%an%x1f%ae%x1f%cI%x1f%s';
  const git = (...args: [GitCommand, ...string[]]) => run(env, folder, args);
  const log = await git(
    'log',
    `-n${count}`,
    '--name-only',
    '--no-renames',
    format,
    '--end-of-options',
    range === 'auto' ? 'HEAD' : range,
    '--',
  );
  const remote = await git('config', '--get', 'remote.origin.url').catch(() => '');
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
    author_name: cutText(author, MAX_TEXT) || null,
    author_email: cutText(email, MAX_TEXT) || null,
    timestamp: at === undefined ? null : formatTimestamp(at),
    message: cutText(subject, MAX_TEXT),
    repository,
    // git quotes names with control characters.
    paths: lines
      .filter((line) => line !== '' && !line.startsWith('"') && line.length <= COMMIT_LIMITS.pathUnits)
      .slice(0, COMMIT_LIMITS.paths),
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

async function run(env: NodeJS.ProcessEnv, folder: string, args: readonly [GitCommand, ...string[]]): Promise<string> {
  try {
    return await runGit(env, folder, args, LIMITS);
  } catch (cause) {
    const said = cause instanceof Error && 'stderr' in cause ? String(cause.stderr).trim().split('\n', 1)[0] : '';
    throw new Fault('GIT_FAILED', `git ${args[0]} failed: ${said || messageOf(cause)}`, { cause });
  }
}
