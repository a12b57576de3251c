import type { IncomingMessage } from 'node:http';
import type { Response } from 'express';
import { Fault } from '../../core/event/fault.js';
import type { JsonObject } from '../../core/event/json.js';
import { ActionFault, checkActionRequest, checkDecider } from '../../core/issues/action-request.js';
import { DECISIONS, type Decision } from '../../core/storage/regroup/regrouping.js';
import type { DecidedSuggestion, RegroupJob, RegroupKind } from '../../generated/reader-answers.js';
import { RequestFault } from '../http/messages/http-fault.js';
import { sendJson } from '../http/messages/respond.js';
import { type ApiCall, type ApiRoute, route, sendAnswer } from './api-route.js';
import { component, INVALID_PARAMETER, json, problem } from './openapi-responses.js';
import { type ParameterTable, type ParameterValues, required, text } from './parameters.js';
import { jsonPointer, readJsonBody } from './read-json-body.js';
import { issue_id, nameParameter, query } from './reading-routes.js';
import { expectEmptyObject, parseGroupingChoice } from './regroup-request.js';

/** The member that a fault without one is about. */
const MEMBER_OF_FAULT: Readonly<Record<string, string>> = {
  SNOOZE_INVALID: 'snooze',
  ACTION_NOT_FOUND: 'undoes',
  ISSUES_NOT_MERGED: 'issues',
};

const DECISION_SUMMARIES: Readonly<Record<Decision, string>> = {
  accept: 'Groups new and stored events by the rule.',
  dismiss: 'Lists the suggestion no more.',
  undo: 'Dismisses an accepted one, or lists a dismissed one again.',
};

interface Regrouping extends Pick<ApiRoute, 'operationId' | 'summary'> {
  readonly kind: RegroupKind;
  readonly body: JsonObject;
}

const REGROUPINGS: readonly Regrouping[] = [
  {
    kind: 'preview',
    operationId: 'previewRegroup',
    summary: 'Computes what would change.',
    body: component('GroupingChoice'),
  },
  {
    kind: 'apply',
    operationId: 'applyRegroup',
    summary: 'Regroups all stored events.',
    body: component('GroupingChoice'),
  },
  {
    kind: 'roll_back',
    operationId: 'rollBackRegroup',
    summary: 'Rolls the last regrouping back.',
    body: { type: 'object', additionalProperties: false },
  },
];

const DECIDER: JsonObject = {
  type: 'object',
  additionalProperties: false,
  properties: { by: { type: 'string', maxLength: 200 } },
};

const STREAM_PARAMETERS = {
  query,
  last_event_id: text('Resumes after the event with this id; the header Last-Event-ID takes precedence.'),
};

/** Routes besides those that read: actions, the stream of changes, regroupings and decisions about suggestions. */
export const ACTING_ROUTES: readonly ApiRoute[] = [
  route(
    {
      path: '/issues/{issue_id}/actions',
      method: 'post',
      operationId: 'act',
      summary: 'Performs an action on an issue; responds when it is durable.',
      parameters: { issue_id },
      body: component('ActionRequest'),
      responses: {
        200: json('The issue after the action.', 'IssueDetail'),
        400: problem('The id is not a UUID, or the body is not JSON.'),
        404: problem('The issue, or one that the body names, does not exist.'),
        413: problem('The body is larger than 256 KiB.'),
        415: problem('The content type is not application/json.'),
        422: problem('The action is invalid: `field` is a JSON pointer to the member.'),
        503: problem('The collector is starting or stopping, or cannot write: try again.'),
      },
    },
    async ({ issue_id: id }, call) => {
      const act = (body: unknown) => call.actions().act(id, checkActionRequest(body));
      sendAnswer(call, await namingField(call.request, act));
    },
  ),
  route(
    {
      path: '/stream',
      method: 'get',
      operationId: 'streamChanges',
      summary: 'Server-sent events for new, changed and regressed issues, each with its latest state.',
      description:
        'Events `issue.new`, `issue.changed` and `issue.regressed` carry an IssueSummary. `reset`: changes may be missing, read the lists again. `dropped`: the client read too slowly; the stream ends.',
      parameters: STREAM_PARAMETERS,
      responses: {
        200: {
          description: 'Runs until either side ends it.',
          content: { 'text/event-stream': { schema: { type: 'string' } } },
        },
        400: INVALID_PARAMETER,
        503: problem('100 streams are open, or the collector is starting or stopping: try again.'),
      },
    },
    async ({ query: text = '', last_event_id: id }, { request, response, streams }) => {
      // A browser that reconnects has a later id in the header than in its URL.
      const after = request.get('last-event-id') || id || undefined;
      const options = { query: text, ...(after !== undefined && { after }) };
      const parameterOfFault = { QUERY_INVALID: 'query', CURSOR_INVALID: 'last_event_id' };
      await streams.serve(request, response, options).catch((error: unknown) => nameParameter(error, parameterOfFault));
    },
  ),
  ...DECISIONS.map((decision) =>
    starting({
      path: `/suggestions/{suggestion_id}/${decision}`,
      operationId: `${decision}Suggestion`,
      summary: DECISION_SUMMARIES[decision],
      body: DECIDER,
      parameters: { suggestion_id: required(text('The id of a suggestion.')) },
      start: async ({ suggestion_id: id }, { request, regroupings }) =>
        await namingField(request, async (body) => regroupings.decide(id, decision, checkDecider(body))),
      responses: {
        200: json('Decided without a regrouping.', 'DecidedSuggestion'),
        404: problem('The suggestion does not exist.'),
      },
    }),
  ),
  route(
    {
      path: '/regroup',
      method: 'get',
      operationId: 'getRegroup',
      summary: 'The last regrouping.',
      parameters: {},
      responses: { 200: json('Found.', 'RegroupJob') },
    },
    async (_, { response, regroupings }) => sendJson(response, 200, JSON.stringify(regroupings.last)),
  ),
  route(
    {
      path: '/regroup',
      method: 'delete',
      operationId: 'cancelRegroup',
      summary: 'Cancels the running regrouping and changes nothing.',
      parameters: {},
      responses: { 200: json('No regrouping was running.', 'RegroupJob'), 202: json('Cancelled.', 'RegroupJob') },
    },
    async (_, { response, regroupings }) => sendJob(response, regroupings.cancel()),
  ),
  ...REGROUPINGS.map(({ kind, ...documented }) =>
    starting({
      ...documented,
      path: `/regroup/${kind}`,
      parameters: {},
      start: async (_, { request, regroupings }) => {
        if (kind !== 'roll_back') return regroupings.start(kind, await parseGroupingChoice(request));
        await expectEmptyObject(request);
        return regroupings.start(kind, {});
      },
    }),
  ),
];

interface StartingRoute<Table extends ParameterTable> extends Pick<ApiRoute, 'path' | 'operationId' | 'summary'> {
  readonly body: JsonObject;
  readonly parameters: Table;
  readonly start: (values: ParameterValues<Table>, call: ApiCall) => Promise<RegroupJob | DecidedSuggestion>;
  /** Further responses. */
  readonly responses?: JsonObject;
}

/** Creates a route that starts a regrouping, or may. */
function starting<Table extends ParameterTable>({ start, ...documented }: StartingRoute<Table>): ApiRoute {
  const responses = {
    202: json('Started; `GET /regroup` returns the progress.', 'RegroupJob'),
    400: problem('The body is not JSON.'),
    409: problem('Another regrouping runs, or nothing can be rolled back.'),
    413: problem('The body is too large.'),
    415: problem('The body is not sent as application/json.'),
    422: problem('The body is invalid: `errors` or `field` says where.'),
    ...documented.responses,
  };
  return route({ ...documented, method: 'post', responses }, async (values, call) => {
    const result = await start(values, call);
    if ('started_at' in result) sendJob(call.response, result);
    else sendJson(call.response, 200, JSON.stringify(result));
  });
}

function sendJob(response: Response, job: RegroupJob): void {
  sendJson(response, job.state === 'running' ? 202 : 200, JSON.stringify(job));
}

/** Performs what the body of a request asks for. Faults about a member name it as a JSON pointer in `field`. */
async function namingField<Result>(
  request: IncomingMessage,
  perform: (body: unknown) => Promise<Result>,
): Promise<Result> {
  const body = await readJsonBody(request);
  try {
    return await perform(body);
  } catch (error) {
    if (!(error instanceof Fault)) throw error;
    const member = error instanceof ActionFault ? error.member : MEMBER_OF_FAULT[error.code];
    if (member === undefined) throw error;
    const field = member === null ? '' : jsonPointer([member]);
    throw new RequestFault(error.code, error.message, { cause: error, retryable: error.retryable, members: { field } });
  }
}
