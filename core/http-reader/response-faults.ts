import type { IncomingMessage } from 'node:http';
import type { ErrorObject, ValidateFunction } from 'ajv/dist/2020.js';
import { Fault } from '../event/fault.js';
import { isJsonObject } from '../event/json.js';
import { cutText } from '../event/text.js';

/** An HTTP response; `body` is undefined if it is not JSON. */
export interface JsonResponse {
  readonly status: number;
  readonly body: unknown;
  /** Of a call for a stream with status 200, in place of a body. */
  readonly stream?: IncomingMessage;
}

/** UTF-16 units that a fault quotes of a response. */
const MAX_QUOTED = 500;
const CODE = /^[A-Z][A-Z0-9_]{0,63}$/;

/** Returns the fault for a response that no Faultline collector sends. */
export function invalidResponse(where: string, problem: string): Fault {
  return new Fault(
    'COLLECTOR_ANSWER_INVALID',
    `The response of ${where} is not from a Faultline collector of this version: ${quoted(problem)}. Check that --url names its reading endpoint (port 4319 unless configured).`,
  );
}

/** Returns a body that passes its check; throws `COLLECTOR_ANSWER_INVALID` with the path of the first error otherwise. */
export function checkResponse<T>(body: unknown, check: ValidateFunction<T>, where: string): T {
  if (check(body)) return body;
  throw invalidResponse(where, check.errors?.[0] ? describeError(check.errors[0]) : 'the body is invalid');
}

/** Returns the body of a successful response that passes its check. Throws what the response says, or `COLLECTOR_ANSWER_INVALID`. */
export function answerOf<T>(
  response: JsonResponse,
  check: ValidateFunction<T>,
  where: string,
  expectedStatuses: readonly number[] = [200],
): T {
  if (!expectedStatuses.includes(response.status)) throw problemFault(response, where);
  return checkResponse(response.body, check, where);
}

function describeError({ instancePath, message, params }: ErrorObject): string {
  const values: unknown = params['allowedValues'];
  const path = instancePath === '' ? 'the body' : instancePath;
  return `${path} ${message}${Array.isArray(values) ? `: ${values.join(', ')}` : ''}`;
}

/** The code of a request to the wrong endpoint, as opposed to a missing event. */
export const WRONG_PATH = 'PATH_NOT_FOUND';

/** Returns the code of a problem document; undefined for any other body. */
export function problemCode({ body }: JsonResponse): string | undefined {
  const code = isJsonObject(body) ? body['code'] : undefined;
  return typeof code === 'string' && CODE.test(code) ? code : undefined;
}

function quoted(text: string): string {
  return text.length <= MAX_QUOTED ? text : `${cutText(text, MAX_QUOTED)}…`;
}

const TOKEN_WRONG = 'TOKEN_WRONG';

/** Returns the fault that a problem document describes, or `COLLECTOR_ANSWER_INVALID`. */
export function problemFault(response: JsonResponse, where: string): Fault {
  const { status, body } = response;
  const code = problemCode(response);
  if (status === 401) return tokenFault(code, where);
  if (code === undefined || code === WRONG_PATH) return invalidResponse(where, `status ${status}`);
  const detail = isJsonObject(body) ? body['detail'] : undefined;
  const sentence = typeof detail === 'string' ? quoted(detail) : `the collector responded with status ${status}`;
  return new Fault(code, sentence, { retryable: status === 429 || status >= 500 });
}

/** A 401 may also come from a proxy, whose body has another form. */
function tokenFault(code: string | undefined, where: string): Fault {
  const how =
    'with --token-file FILE, the variable FAULTLINE_TOKEN, token_file in a context of the preferences, or peers_token';
  if (code === TOKEN_WRONG) return new Fault(code, `The collector at ${where} rejected the token; set another ${how}.`);
  return new Fault('TOKEN_MISSING', `The collector at ${where} needs a token; set it ${how}.`);
}
