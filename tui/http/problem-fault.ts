import { Fault } from '../../core/event/fault.js';
import { isJsonObject } from '../../core/event/json.js';
import { answerInvalid } from './answer-fault.js';
import type { JsonAnswer } from './json-client.js';

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
