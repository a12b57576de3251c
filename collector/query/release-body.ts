import type { IncomingMessage } from 'node:http';
import { COMMIT_LIMITS, type FailureReleases, type ReleaseChange } from '../../core/contract/reader.js';
import { isJsonObject, type JsonObject } from '../../core/event/json.js';
import { cutText } from '../../core/event/text.js';
import { formatTimestamp, parseTimestamp } from '../../core/normalize/timestamp.js';
import type { ReleaseCommit, ReleaseDeploy, ReleaseSummary, Timestamp } from '../../generated/reader-answers.js';
import { RequestFault } from '../http/messages/http-fault.js';
import { jsonPointer, readJsonBody } from './read-json-body.js';

/** What the members for times are called. */
interface TimeNames {
  readonly released: string;
  readonly started: string;
  readonly finished: string;
}

/** Of the reading API. */
export const OWN_NAMES: TimeNames = { released: 'released_at', started: 'started_at', finished: 'finished_at' };
/** Of Sentry's API. */
export const SENTRY_NAMES: TimeNames = {
  released: 'dateReleased',
  started: 'dateStarted',
  finished: 'dateFinished',
};

const MAX_NAME = 250;
const MAX_URL = 2_000;
const MAX_SHORT = COMMIT_LIMITS.textUnits;
/** UTF-16 units of the paths of all commits; later commits keep none. */
const MAX_PATH_UNITS = 500_000;

const MAX_RELEASE_BODY_BYTES = 4 * 1024 * 1024;

/** Records what a body says about a release; `named` is its name in the path. Throws `RELEASE_INVALID`, which names the member in `field`. */
export async function recordBody(
  request: IncomingMessage,
  releases: FailureReleases,
  names: TimeNames,
  named?: string,
): Promise<ReleaseSummary> {
  const [first, ...others] = readChanges(await readJsonBody(request, MAX_RELEASE_BODY_BYTES), names, named);
  let summary = await releases.recordRelease(first);
  for (const change of others) summary = await releases.recordRelease(change);
  return summary;
}

function readChanges(body: unknown, names: TimeNames, named?: string): [ReleaseChange, ...ReleaseChange[]] {
  if (!isJsonObject(body)) throw invalid([], 'must be an object');
  const release = releaseName(named ?? body['version'], 'version');
  const url = optionalText(body, 'url', MAX_URL);
  const { commits } = body;
  if (commits !== undefined && commits !== null && !Array.isArray(commits))
    throw invalid(['commits'], 'must be an array');
  const released = body[names.released];
  return [
    { kind: 'create', release, url },
    ...(Array.isArray(commits) ? [{ kind: 'commits' as const, release, commits: readCommits(commits) }] : []),
    ...(released === undefined ? [] : [{ kind: 'finalize' as const, release, releasedAt: time(body, names.released) }]),
  ];
}

/** Reads a deploy. Throws as `recordBody`. */
export function readDeploy(body: unknown, names: TimeNames, named: string): ReleaseChange & { deploy: ReleaseDeploy } {
  if (!isJsonObject(body)) throw invalid([], 'must be an object');
  const deploy = {
    environment: requiredText(body['environment'], ['environment'], MAX_SHORT),
    name: optionalText(body, 'name', MAX_SHORT),
    url: optionalText(body, 'url', MAX_URL),
    started_at: time(body, names.started),
    finished_at: time(body, names.finished),
  };
  return { kind: 'deploy', release: releaseName(named, 'version'), deploy };
}

function readCommits(commits: readonly unknown[]): ReleaseCommit[] {
  let units = 0;
  return commits.slice(0, COMMIT_LIMITS.commits).map((commit, index) => {
    const path = ['commits', index];
    if (!isJsonObject(commit)) throw invalid(path, 'must be an object');
    const paths = units < MAX_PATH_UNITS ? readPaths(commit) : [];
    units += paths.reduce((sum, one) => sum + one.length, 0);
    const { message } = commit;
    return {
      id: requiredText(commit['id'], [...path, 'id'], MAX_SHORT),
      author_name: shortened(commit['author_name']),
      author_email: shortened(commit['author_email']),
      timestamp: time(commit, 'timestamp', path),
      message: shortened(typeof message === 'string' ? message.slice(0, MAX_SHORT).split('\n', 1)[0] : undefined) ?? '',
      repository: shortened(commit['repository']),
      paths,
    };
  });
}

/** Sentry's tools send `patch_set`. */
function readPaths({ paths, patch_set }: JsonObject): string[] {
  const entries = Array.isArray(paths) ? paths : Array.isArray(patch_set) ? patch_set : [];
  return entries
    .slice(0, COMMIT_LIMITS.paths)
    .map((entry) => (isJsonObject(entry) ? entry['path'] : entry))
    .filter((path) => typeof path === 'string')
    .filter((path) => path !== '' && path.length <= COMMIT_LIMITS.pathUnits);
}

/** Checks the name of a release. Throws `RELEASE_INVALID`. */
function releaseName(value: unknown, member: string): string {
  const name = requiredText(value, [member], MAX_NAME);
  if (/[\u0000-\u001f\u007f]/.test(name)) throw invalid([member], 'must not have control characters');
  return name;
}

function requiredText(value: unknown, path: Path, maxLength: number): string {
  if (typeof value === 'string' && value.trim() !== '' && value.length <= maxLength) return value;
  throw invalid(path, `must be a text of 1 to ${maxLength} characters`);
}

function optionalText(body: JsonObject, member: string, maxLength: number): string | null {
  const value = body[member];
  return value === undefined || value === null || value === '' ? null : requiredText(value, [member], maxLength);
}

function shortened(value: unknown): string | null {
  return typeof value === 'string' && value !== '' ? cutText(value, MAX_SHORT) : null;
}

function time(body: JsonObject, member: string, path: Path = []): Timestamp | null {
  const value = body[member];
  if (value === undefined || value === null) return null;
  const parsed = typeof value === 'string' ? parseTimestamp(value) : undefined;
  if (parsed === undefined) throw invalid([...path, member], 'must be a time such as 2026-11-21T10:00:00Z');
  return formatTimestamp(parsed);
}

type Path = readonly (string | number)[];

function invalid(path: Path, problem: string): RequestFault {
  const field = jsonPointer(path);
  return new RequestFault('RELEASE_INVALID', `${field === '' ? 'the body' : field} ${problem}`, { members: { field } });
}
