import type { ReleaseCommit, ReleaseDeploy, Timestamp } from '../../../generated/reader-answers.js';
import { isJsonObject, type JsonObject, type JsonValue, parseJson } from '../../event/json.js';
import { isUserSketch } from '../index/segments/user-sketch.js';
import type { LogFile } from '../record/io/read-log.js';
import type { SessionCounts } from './session-counts.js';

/** One line of `releases.ndjson`. */
export type ReleaseLine = { readonly release: string; readonly at: Timestamp } & (
  | { readonly kind: 'create'; readonly url?: string | null | undefined }
  | {
      readonly kind: 'finalize';
      readonly released_at: Timestamp | null;
      readonly url?: string | null | undefined;
    }
  | { readonly kind: 'deploy'; readonly deploy: ReleaseDeploy }
  | { readonly kind: 'commits'; readonly commits: readonly ReleaseCommit[] }
  | ({ readonly kind: 'sessions' } & SessionCounts)
);

/** In the data folder. */
export const RELEASE_LOG: LogFile<ReleaseLine> = {
  name: 'releases.ndjson',
  // 500 commits within the limits of a change fit.
  maxLineBytes: 8 * 1024 * 1024,
  parseLine: parseReleaseLine,
  what: 'change of a release',
  complaint: 'is not about a release',
};

function parseReleaseLine(text: string): ReleaseLine | undefined {
  const line = parseJson(text);
  if (!isJsonObject(line) || !isText(line['release']) || !isText(line['at'])) return undefined;
  const kind = line['kind'];
  const isValid = typeof kind === 'string' && Object.hasOwn(IS_VALID, kind) && IS_VALID[kind]?.(line);
  return isValid === true ? (line as unknown as ReleaseLine) : undefined;
}

const IS_VALID: Readonly<Record<string, (line: JsonObject) => boolean>> = {
  create: ({ url = null }) => isTextOrNull(url),
  finalize: ({ released_at: at, url = null }) => isTextOrNull(at) && isTextOrNull(url),
  deploy: ({ deploy }) => isJsonObject(deploy) && isText(deploy['environment']) && areTextsOrNull(deploy, DEPLOY),
  commits: ({ commits }) => Array.isArray(commits) && commits.every(isCommit),
  sessions: (line) =>
    isText(line['environment']) &&
    [line['sessions'], line['errored'], line['crashed'], line['abnormal']].every(Number.isSafeInteger) &&
    [line['users'], line['crashed_users']].every((users) => areIntegers(users) && isUserSketch(users)) &&
    Array.isArray(line['hours']) &&
    line['hours'].every((hour) => areIntegers(hour) && hour.length === 3),
};

const DEPLOY = ['name', 'url', 'started_at', 'finished_at'];
const COMMIT = ['author_name', 'author_email', 'timestamp', 'repository'];

function isCommit(commit: JsonValue): boolean {
  if (!isJsonObject(commit) || !isText(commit['id']) || !isText(commit['message'])) return false;
  const { paths } = commit;
  return Array.isArray(paths) && paths.every(isText) && areTextsOrNull(commit, COMMIT);
}

function areTextsOrNull(value: JsonObject, names: readonly string[]): boolean {
  return names.every((name) => isTextOrNull(value[name]));
}

function isTextOrNull(value: JsonValue | undefined): boolean {
  return value === null || isText(value);
}

function isText(value: JsonValue | undefined): value is string {
  return typeof value === 'string';
}

function areIntegers(value: JsonValue | undefined): value is number[] {
  return Array.isArray(value) && value.every((member) => Number.isSafeInteger(member));
}
