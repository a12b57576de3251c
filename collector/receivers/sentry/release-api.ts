import type { IncomingMessage, ServerResponse } from 'node:http';
import type { FailureReader, FailureReleases } from '../../../core/contract/reader.js';
import type { ReleaseCommit, ReleaseDeploy, ReleaseSummary } from '../../../generated/reader-answers.js';
import { RequestFault } from '../../http/messages/http-fault.js';
import { requestPath } from '../../http/messages/request-guard.js';
import { sendJson } from '../../http/messages/respond.js';
import { readJsonBody } from '../../query/read-json-body.js';
import { readDeploy, recordBody, SENTRY_NAMES } from '../../query/release-body.js';

/** The releases of a store. */
type Releases = FailureReleases & { readonly reader: FailureReader };

/** One call of Sentry's API. */
interface Call {
  readonly request: IncomingMessage;
  readonly releases: Releases;
  /** In the path; empty without one. */
  readonly version: string;
  /** The slug in the path; undefined for calls of an organization. */
  readonly project: string | undefined;
}

/** Below an organization or a project; names of both are ignored, because a collector has one list of releases. */
const OWNED = '/(?:organizations/[^/]+|projects/[^/]+/(?<project>[^/]+))';
const ONE = `${OWNED}/releases/(?<version>[^/]+)`;
const MAX_LISTED = 100;

type Answer = readonly [status: number, body: unknown];

/** The calls of sentry-cli and of bundler plugins, below `/api/0`. */
const CALLS: readonly (readonly [method: string, path: string, respond: (call: Call) => Promise<Answer>])[] = [
  ['GET', '', async () => [200, { version: '0', user: null, auth: { scopes: ['project:read', 'project:releases'] } }]],
  ['GET', `${OWNED}/repos`, async () => [200, []]],
  ['GET', `${OWNED}/releases`, listReleases],
  ['POST', `${OWNED}/releases`, async (call) => [201, await record(call)]],
  ['GET', ONE, async (call) => [200, releaseBody(await existing(call), call.project)]],
  ['PUT', ONE, async (call) => [200, await record(call)]],
  ['DELETE', ONE, refuseDelete],
  // Without a previous release the tool sends its latest commits, also from a shallow clone.
  ['GET', `${ONE}/previous-with-commits`, async () => [200, {}]],
  ['GET', `${ONE}/commits`, async (call) => [200, (await existing(call)).commit_list.map(commitBody)]],
  ['GET', `${ONE}/deploys`, async (call) => [200, (await existing(call)).deploys.map(deployBody)]],
  ['POST', `${ONE}/deploys`, addDeploy],
];
const PATTERNS = CALLS.map(([method, path, respond]) => ({ method, pattern: new RegExp(`^${path}/?$`), respond }));

/** Serves the calls of Sentry's API about releases, whose paths begin with `root`. Throws `PATH_NOT_FOUND`, `RELEASE_NOT_FOUND`, `RELEASE_INVALID` and `METHOD_NOT_ALLOWED`. */
export async function serveReleaseApi(
  request: IncomingMessage,
  response: ServerResponse,
  { root, releases }: { readonly root: string; readonly releases: Releases },
): Promise<void> {
  const path = requestPath(request).slice(root.length);
  for (const { method, pattern, respond } of PATTERNS) {
    const groups = request.method === method ? pattern.exec(path) : null;
    if (groups === null) continue;
    const { version = '', project } = groups.groups ?? {};
    const [status, body] = await respond({ request, releases, version: decoded(version), project });
    sendJson(response, status, JSON.stringify(body));
    return;
  }
  const sentence = `this collector serves of Sentry's API the releases, deploys and commits, not ${request.method} ${path.slice(0, 200)}`;
  throw new RequestFault('PATH_NOT_FOUND', sentence);
}

async function listReleases({ releases, project }: Call): Promise<Answer> {
  const { releases: listed } = await releases.reader.listReleases({ limit: MAX_LISTED });
  return [200, listed.map((release) => releaseBody(release, project))];
}

async function record({ request, releases, version, project }: Call): Promise<object> {
  return releaseBody(await recordBody(request, releases, SENTRY_NAMES, version === '' ? undefined : version), project);
}

async function addDeploy({ request, releases, version }: Call): Promise<Answer> {
  const change = readDeploy(await readJsonBody(request), SENTRY_NAMES, version);
  await releases.recordRelease(change);
  return [201, deployBody(change.deploy, 0)];
}

/** The tools take 404 for a release that does not exist. */
async function refuseDelete(call: Call): Promise<never> {
  await existing(call);
  const sentence =
    'this collector keeps its releases: the one that changed the longest time ago makes room for a new one';
  throw new RequestFault('METHOD_NOT_ALLOWED', sentence, { headers: { allow: 'GET, PUT' } });
}

async function existing({ releases, version }: Call) {
  const release = await releases.reader.getRelease(version);
  if (release === undefined) throw new RequestFault('RELEASE_NOT_FOUND', 'the release does not exist');
  return release;
}

/** What the tools read of a release. */
function releaseBody(release: ReleaseSummary, project = 'faultline'): object {
  return {
    version: release.name,
    shortVersion: release.name,
    url: release.url,
    ref: null,
    dateCreated: release.created_at ?? release.first_seen,
    dateReleased: release.released_at,
    firstEvent: release.first_seen,
    lastEvent: release.last_seen,
    newGroups: release.new_issues,
    commitCount: release.commits,
    deployCount: release.deploys.length,
    projects: [{ slug: project, name: project }],
    authors: [],
    data: {},
  };
}

function deployBody(deploy: ReleaseDeploy, index: number): object {
  const { environment, name, url, started_at: dateStarted, finished_at: dateFinished } = deploy;
  return { id: String(index + 1), environment, name, url, dateStarted, dateFinished };
}

function commitBody({ id, message, timestamp, author_name: name, author_email: email }: ReleaseCommit): object {
  return { id, message, dateCreated: timestamp, author: { name, email } };
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch (cause) {
    throw new RequestFault('RELEASE_INVALID', '/version is not percent-encoded UTF-8', {
      cause,
      members: { field: '/version' },
    });
  }
}
