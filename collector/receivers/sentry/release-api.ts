import express, { type ErrorRequestHandler, type Request, type RequestHandler, type Router } from 'express';
import type { FailureReader, FailureReleases } from '../../../core/contract/reader.js';
import type { ReleaseCommit, ReleaseDeploy, ReleaseSummary } from '../../../generated/reader-answers.js';
import { literalPath } from '../../http/endpoints/served-path.js';
import { RequestFault } from '../../http/messages/http-fault.js';
import { requestPath } from '../../http/messages/request-path.js';
import { sendJson } from '../../http/messages/respond.js';
import { readJsonBody } from '../../query/read-json-body.js';
import { readDeploy, recordBody, SENTRY_NAMES } from '../../query/release-body.js';

/** The releases of a store. */
type Releases = FailureReleases & { readonly reader: FailureReader };

/** What a path names. */
interface PathParameters extends Record<string, string> {
  readonly version: string;
  /** The slug; absent in calls of an organization. */
  readonly project: string;
}
type Call = Request<Partial<PathParameters>>;

const MAX_LISTED = 100;

type Answer = readonly [status: number, body: unknown];

/** Serves the calls of sentry-cli and of bundler plugins about releases, below `root`. Faults: `PATH_NOT_FOUND`, `RELEASE_NOT_FOUND`, `RELEASE_INVALID` and `METHOD_NOT_ALLOWED`. */
export function createReleaseRouter(root: string, releases: () => Releases): Router {
  const router = express.Router({ caseSensitive: true, strict: true });
  const answer =
    (respond: (call: Call, releases: Releases) => Promise<Answer>): RequestHandler<Partial<PathParameters>> =>
    async (request, response) => {
      const [status, body] = await respond(request, releases());
      sendJson(response, status, JSON.stringify(body));
    };
  // Names of organizations and projects are ignored, because a collector has one list of releases.
  const path = literalPath(root);
  const below = (rest: string) => [
    `${path}/organizations/:organization${rest}{/}`,
    `${path}/projects/:organization/:project${rest}{/}`,
  ];
  const user = { version: '0', user: null, auth: { scopes: ['project:read', 'project:releases'] } };
  router.get(
    `${path}{/}`,
    answer(async () => [200, user]),
  );
  router.get(
    below('/repos'),
    answer(async () => [200, []]),
  );
  router.get(below('/releases'), answer(listReleases));
  router.post(
    below('/releases'),
    answer(async (call, all) => [201, await record(call, all)]),
  );
  router.get(below('/releases/:version'), answer(getRelease));
  router.put(
    below('/releases/:version'),
    answer(async (call, all) => [200, await record(call, all)]),
  );
  router.delete(below('/releases/:version'), answer(refuseDelete));
  // Without a previous release the tool sends its latest commits, also from a shallow clone.
  router.get(
    below('/releases/:version/previous-with-commits'),
    answer(async () => [200, {}]),
  );
  router.get(below('/releases/:version/commits'), answer(listCommits));
  router.get(below('/releases/:version/deploys'), answer(listDeploys));
  router.post(below('/releases/:version/deploys'), answer(addDeploy));
  router.use((request) => {
    const asked = requestPath(request).slice(root.length, root.length + 200);
    const sentence = `this collector serves of Sentry's API the releases, deploys and commits, not ${request.method} ${asked}`;
    throw new RequestFault('PATH_NOT_FOUND', sentence);
  });
  router.use(nameVersion);
  return router;
}

/** Express reports a part of the path that it cannot decode without its name. */
const nameVersion: ErrorRequestHandler = (error: unknown, _request, _response, next) => {
  if (!(error instanceof URIError)) return next(error);
  const options = { cause: error, members: { field: '/version' } };
  next(new RequestFault('RELEASE_INVALID', '/version is not percent-encoded UTF-8', options));
};

async function listReleases({ params }: Call, { reader }: Releases): Promise<Answer> {
  const { releases } = await reader.listReleases({ limit: MAX_LISTED });
  return [200, releases.map((release) => releaseBody(release, params.project))];
}

async function record(call: Call, releases: Releases): Promise<object> {
  const { version, project } = call.params;
  return releaseBody(await recordBody(call, releases, SENTRY_NAMES, version), project);
}

async function getRelease(call: Call, releases: Releases): Promise<Answer> {
  return [200, releaseBody(await existing(call, releases), call.params.project)];
}

async function listCommits(call: Call, releases: Releases): Promise<Answer> {
  return [200, (await existing(call, releases)).commit_list.map(commitBody)];
}

async function listDeploys(call: Call, releases: Releases): Promise<Answer> {
  return [200, (await existing(call, releases)).deploys.map(deployBody)];
}

async function addDeploy(call: Call, releases: Releases): Promise<Answer> {
  const change = readDeploy(await readJsonBody(call), SENTRY_NAMES, call.params.version ?? '');
  await releases.recordRelease(change);
  return [201, deployBody(change.deploy, 0)];
}

/** The tools take 404 for a release that does not exist. */
async function refuseDelete(call: Call, releases: Releases): Promise<never> {
  await existing(call, releases);
  const sentence =
    'this collector keeps its releases: the one that changed the longest time ago makes room for a new one';
  throw new RequestFault('METHOD_NOT_ALLOWED', sentence, { headers: { allow: 'GET, PUT' } });
}

async function existing({ params: { version = '' } }: Call, { reader }: Releases) {
  const release = await reader.getRelease(version);
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
