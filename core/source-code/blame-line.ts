import { resolve, sep } from 'node:path';
import type { SuspectCommit } from '../../generated/reader-answers.js';
import { cutText } from '../event/text.js';
import { formatTimestamp } from '../normalize/timestamp.js';
import type { Git } from './open-git.js';
import { sourcePaths } from './source-paths.js';

/** A git repository on this machine. */
export interface Repository {
  readonly path: string;
  /** Start of a path in a stack to folder in the repository. */
  readonly prefix_map?: Readonly<Record<string, string>> | null;
}

/** A line of a frame, and what is known of the code that ran. */
export interface BlamedLine {
  /** As the frame names it. */
  readonly path: string;
  readonly line: number;
  readonly release: string | null;
  /** Time of the event, milliseconds since the epoch. */
  readonly atMs: number;
}

const YEAR_S = 365 * 24 * 3_600;
const MAX_TEXT = 200;
const COMMIT_ID = /^[0-9a-f]{7,64}$/;
/** A regular file in the list of `ls-tree`. */
const FILE = /^100[0-7]{3} blob [0-9a-f]+\t(.*)$/s;

/**
 * Finds the commit that changed a line last, in the release's own commit if its name is one, else in the newest before the event; undefined if it is
 * older than a year. Only commits are read, never the working tree, so links in it lead nowhere.
 */
export async function blameLine(
  git: Git,
  repository: Repository,
  blamed: BlamedLine,
): Promise<SuspectCommit | undefined> {
  const folder = resolve(repository.path);
  const candidates = repositoryPaths(blamed.path, repository);
  if (candidates.length === 0) return undefined;
  const atS = Math.floor(blamed.atMs / 1_000);
  const { line, release } = blamed;
  const ofRelease =
    release !== null && COMMIT_ID.test(release) && (await git(folder, ['rev-list', '-1', release, '--']));
  const revision = (ofRelease || (await git(folder, ['rev-list', '-1', `--min-age=${atS}`, 'HEAD', '--'])))?.trim();
  if (!revision) return undefined;
  const listed = (await git(folder, ['ls-tree', '-z', revision, '--', ...candidates]))?.split('\0') ?? [];
  const files = new Set(listed.map((entry) => FILE.exec(entry)?.[1]));
  const path = candidates.find((candidate) => files.has(candidate));
  if (path === undefined) return undefined;
  const range = `${line},${line}`;
  const text = await git(folder, ['blame', '--porcelain', '-L', range, revision, '--', path]);
  const commit = text === undefined ? undefined : parseBlame(text);
  if (commit === undefined || commit.committedS < atS - YEAR_S) return undefined;
  // The oldest commit of a shallow clone seems to have written every line.
  if (commit.isBoundary && (await git(folder, ['rev-parse', '--is-shallow-repository']))?.trim() !== 'false')
    return undefined;
  const { id, authorName, authorEmail, authoredS, summary } = commit;
  return {
    id,
    author_name: authorName,
    author_email: authorEmail,
    timestamp: formatTimestamp({ ms: authoredS * 1_000, nanos: 0 }),
    message: summary,
    repository: folder,
    path,
    line,
    source: 'blame',
  };
}

/** Paths in a repository that a frame's path may stand for, the most likely first; none of them leaves it. */
export function repositoryPaths(path: string, { path: root, prefix_map: prefixes }: Repository): string[] {
  const folder = resolve(root);
  const named = sourcePaths(path, [folder]);
  // Too long, or not a path.
  if (named.length === 0) return [];
  const mapped = Object.entries(prefixes ?? {})
    .map(([prefix, place]) => [prefix.replace(/\/$/, ''), place] as const)
    .filter(([prefix]) => path.startsWith(`${prefix}/`))
    .sort(([one], [other]) => other.length - one.length)
    .map(([prefix, place]) => resolve(folder, place, `.${path.slice(prefix.length)}`));
  const start = folder === sep ? sep : `${folder}${sep}`;
  const below = [...mapped, ...named]
    .map((found) => resolve(found))
    .filter((found) => found.startsWith(start) && found.length > start.length)
    .map((found) => found.slice(start.length));
  return [...new Set(below)];
}

function parseBlame(text: string) {
  const [head = '', ...lines] = text.split('\n');
  const of = (key: string): string =>
    lines.find((line) => line.startsWith(`${key} `))?.slice(key.length + 1, 4 * MAX_TEXT) ?? '';
  const id = head.slice(0, head.indexOf(' '));
  const [authoredS, committedS] = [Number(of('author-time')), Number(of('committer-time'))];
  if (!COMMIT_ID.test(id) || !Number.isSafeInteger(authoredS * 1_000)) return undefined;
  return {
    id,
    authorName: cutText(of('author'), MAX_TEXT) || null,
    authorEmail: cutText(of('author-mail').replace(/^<|>$/g, ''), MAX_TEXT) || null,
    authoredS,
    committedS,
    summary: cutText(of('summary'), MAX_TEXT),
    isBoundary: lines.includes('boundary'),
  };
}
