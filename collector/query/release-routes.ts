import type { JsonObject } from '../../core/event/json.js';
import { type ApiRoute, route, sendAnswer } from './api-route.js';
import { json, problem } from './openapi-responses.js';
import { required, text } from './parameters.js';
import { readJsonBody } from './read-json-body.js';
import { OWN_NAMES, readDeploy, recordBody } from './release-body.js';

const TEXT = { type: ['string', 'null'] };
const TIME = { type: ['string', 'null'], description: 'A time such as 2026-11-21T10:00:00Z.' };
const COMMITS = {
  type: 'array',
  description: 'Replace those that are known, the newest first; the first 500 are kept. An `id` is needed.',
  items: { type: 'object', required: ['id'] },
};
const ABOUT = {
  url: TEXT,
  released_at: { ...TIME, description: 'Finalizes it; null takes that back.' },
  commits: COMMITS,
};
const DEPLOY = { environment: { type: 'string' }, name: TEXT, url: TEXT, started_at: TIME, finished_at: TIME };
const release = required(text('The name of a release.'));

/** Routes that record releases, in this collector only. */
export const RELEASE_ROUTES: readonly ApiRoute[] = [
  route(
    {
      ...documented('/releases', 'post', 'createRelease', 'Creates a release, or adds to one.'),
      parameters: {},
      body: object({ version: { type: 'string', maxLength: 250 }, ...ABOUT }, ['version']),
    },
    async (_, call) => sendAnswer(call, await recordBody(call.request, call.releases(), OWN_NAMES)),
  ),
  route(
    {
      ...documented('/releases/{release}', 'put', 'changeRelease', 'Adds to a release; creates it if needed.'),
      parameters: { release },
      body: object(ABOUT, []),
    },
    async ({ release: name }, call) =>
      sendAnswer(call, await recordBody(call.request, call.releases(), OWN_NAMES, name)),
  ),
  route(
    {
      ...documented('/releases/{release}/deploys', 'post', 'addDeploy', 'Adds a deploy of a release.'),
      parameters: { release },
      body: object(DEPLOY, ['environment']),
    },
    async ({ release: name }, call) => {
      const deploy = readDeploy(await readJsonBody(call.request), OWN_NAMES, name);
      sendAnswer(call, await call.releases().recordRelease(deploy));
    },
  ),
];

function documented(path: string, method: 'post' | 'put', operationId: string, summary: string) {
  const responses = {
    200: json('The release after it; durable.', 'ReleaseSummary'),
    400: problem('The body is not JSON, or invalid: `field` is a JSON pointer to the member.'),
    413: problem('The body is larger than 4 MiB.'),
    415: problem('The content type is not application/json.'),
    503: problem('The collector is starting or stopping, or cannot write: try again.'),
  };
  return { path, method, operationId, summary: `${summary} Responds when it is durable.`, responses };
}

function object(properties: JsonObject, names: readonly string[]): JsonObject {
  return { type: 'object', properties, required: [...names] };
}
