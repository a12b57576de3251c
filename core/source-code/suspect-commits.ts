import { LRUCache } from 'lru-cache';
import type { IssueDetail, SuspectCommit } from '../../generated/reader-answers.js';
import { ForwardingReader } from '../contract/forwarding-reader.js';
import type { FailureReader } from '../contract/reader.js';
import type { IssueId } from '../event/ids.js';
import { plainText } from '../event/text.js';
import { frameLabel } from '../fingerprint/stack/frames.js';
import { readStackLines } from '../fingerprint/stack/stack-lines.js';
import { within } from '../within.js';
import { type BlamedLine, blameLine, type Repository, repositoryPaths } from './blame-line.js';
import { openGit } from './open-git.js';
import { frameLocation, frameText, type SourceLocation } from './source-location.js';

/** Returns the reader, with `suspect_commit` in each issue that it reads by id. That takes at most 2 s longer and never fails. */
export type WithSuspectCommits = (reader: FailureReader) => FailureReader;

export interface SuspectCommitOptions {
  repositories: readonly Repository[];
  /** For git, without its `GIT_` variables; default: that of the process. */
  env?: NodeJS.ProcessEnv;
  /** Gets each problem once, such as a repository of another user. */
  onProblem?: (sentence: string) => void;
}

const WAIT_MS = 2_000;
const MAX_KNOWN = 256;
/** After this time the repository may have other commits. */
const KNOWN_MS = 5 * 60_000;

/** Creates the search for suspect commits: of the event's release, else by blame in the repositories. Their answers are remembered for 5 minutes. */
export function createSuspectCommits({
  repositories,
  env = process.env,
  onProblem = () => {},
}: SuspectCommitOptions): WithSuspectCommits {
  const git = openGit(env, onProblem);
  const known = new LRUCache<string, Promise<SuspectCommit | null>>({ max: MAX_KNOWN, ttl: KNOWN_MS });

  async function blame(line: BlamedLine): Promise<SuspectCommit | null> {
    for (const repository of repositories) {
      const found = await blameLine(git, repository, line);
      if (found !== undefined) return found;
    }
    return null;
  }

  function blameOnce(line: BlamedLine): Promise<SuspectCommit | null> {
    const key = JSON.stringify([line.path, line.line, line.release]);
    const before = known.get(key);
    if (before !== undefined) return before;
    const found = blame(line);
    known.set(key, found);
    return found;
  }

  async function find({ issue_id, culprit }: IssueDetail, reader: FailureReader): Promise<SuspectCommit | null> {
    const latest = (await reader.listEvents(issue_id, { limit: 1 }))?.events[0];
    const event = latest && (await reader.getEvent(latest.event_id));
    if (event === undefined) return null;
    const location = culpritLocation(event.normalized.stack ?? '', culprit);
    if (location === undefined) return null;
    const { release, timestamp } = event.normalized;
    const commits = release === null ? [] : ((await reader.getRelease(release))?.commit_list ?? []);
    const paths = [{ path: '/' }, ...repositories].flatMap((one) => repositoryPaths(location.path, one));
    for (const { paths: touched, ...commit } of commits) {
      const path = paths.find((one) => touched.includes(one));
      if (path !== undefined) return { ...commit, path, line: location.line, source: 'release' };
    }
    return await blameOnce({ ...location, release, atMs: Date.parse(timestamp) });
  }

  return (reader) => new SuspectCommitReader(reader, find);
}

class SuspectCommitReader extends ForwardingReader {
  readonly #find: (issue: IssueDetail, reader: FailureReader) => Promise<SuspectCommit | null>;

  constructor(
    reader: FailureReader,
    find: (issue: IssueDetail, reader: FailureReader) => Promise<SuspectCommit | null>,
  ) {
    super(reader);
    this.#find = find;
  }

  override async getIssue(issueId: IssueId): Promise<IssueDetail | undefined> {
    const issue = await this.reader.getIssue(issueId);
    if (issue === undefined) return undefined;
    // A broken repository must not hide an issue.
    const commit = await within(WAIT_MS, this.#find(issue, this.reader)).catch(() => null);
    return { ...issue, suspect_commit: commit ?? null };
  }
}

/** The in-app frame that the culprit names, else the innermost one with a file. */
function culpritLocation(stack: string, culprit: string | null): SourceLocation | undefined {
  const { family, lines } = readStackLines(stack);
  const frames = lines.flatMap(({ text, frame }) => {
    if (frame?.inApp !== true) return [];
    const location = frameLocation(frameText(text), frame);
    return location === undefined ? [] : [{ label: plainText(frameLabel(frame)), location }];
  });
  // Python writes the innermost call last.
  const inner = family === 'python' ? frames.reverse() : frames;
  return (inner.find(({ label }) => label === culprit) ?? inner[0])?.location;
}
