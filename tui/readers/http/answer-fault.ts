import type { ErrorObject, ValidateFunction } from 'ajv/dist/2020.js';
import { Fault } from '../../../core/event/fault.js';
import { isJsonObject } from '../../../core/event/json.js';

/** An answer's status and its body as JSON; `undefined` where the body is none. */
export interface JsonAnswer {
  readonly status: number;
  readonly body: unknown;
}

/** What is thrown for an answer that a collector of ours would not have given. */
export function answerInvalid(where: string, problem: string): Fault {
  return new Fault(
    'COLLECTOR_ANSWER_INVALID',
    `${where} answered something that is not from a Faultline collector of this version: ${problem}. Check that --url names its reading endpoint (port 4319 unless configured).`,
  );
}

/** Returns an answer that is what its check asks for; otherwise throws a Fault that names the first place that is not. */
export function checkAnswer<T>(answer: unknown, check: ValidateFunction<T>, where: string): T {
  if (check(answer)) return answer;
  throw answerInvalid(where, check.errors?.[0] ? wordError(check.errors[0]) : 'the answer cannot be read');
}

function wordError({ instancePath, message, params }: ErrorObject): string {
  const values: unknown = params['allowedValues'];
  const place = instancePath === '' ? 'the whole answer' : instancePath;
  return `${place} ${message}${Array.isArray(values) ? `: ${values.join(', ')}` : ''}`;
}

/** Where our collector answers that it knows no such path, it is the wrong endpoint, not a missing event. */
export const WRONG_PATH = 'PATH_NOT_FOUND';

/** The code of a problem document; undefined where an answer is none. */
export function problemCode({ body }: JsonAnswer): string | undefined {
  const code = isJsonObject(body) ? body['code'] : undefined;
  return typeof code === 'string' ? code : undefined;
}

const TOKEN_WRONG = 'TOKEN_WRONG';

/** The collector's own fault where it sent a problem document, else that its answer is not one of ours. */
export function problemFault(answer: JsonAnswer, where: string): Fault {
  const { status, body } = answer;
  const code = problemCode(answer);
  if (status === 401) return tokenFault(code, where);
  if (code === undefined || code === WRONG_PATH) return answerInvalid(where, `status ${status}`);
  const detail = isJsonObject(body) ? body['detail'] : undefined;
  const sentence = typeof detail === 'string' ? detail : `the collector answered ${status}`;
  return new Fault(code, sentence, { retryable: status === 429 || status >= 500 });
}

/** Also of a proxy in front of a collector, which says it in words of its own. */
function tokenFault(code: string | undefined, where: string): Fault {
  const how = 'with --token-file FILE, the variable FAULTLINE_TOKEN, or token_file in a context of the preferences';
  if (code === TOKEN_WRONG)
    return new Fault(code, `The collector at ${where} does not take this token; give another ${how}.`);
  return new Fault('TOKEN_MISSING', `The collector at ${where} wants a token; give it ${how}.`);
}
