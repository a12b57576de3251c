import { Fault } from '../../core/event/fault.js';
import { answerInvalid } from './answer-fault.js';
import { isObject } from './check.js';
import type { JsonAnswer } from './json-client.js';

/** Where our collector answers that it knows no such path, it is the wrong endpoint, not a missing event. */
export const WRONG_PATH = 'PATH_NOT_FOUND';

/** The code of a problem document; undefined where an answer is none. */
export function problemCode({ body }: JsonAnswer): string | undefined {
  const code = isObject(body) ? body['code'] : undefined;
  return typeof code === 'string' ? code : undefined;
}

/** The collector's own fault where it sent a problem document, else that its answer is not one of ours. */
export function problemFault(answer: JsonAnswer, where: string): Fault {
  const { status, body } = answer;
  const code = problemCode(answer);
  if (code === undefined || code === WRONG_PATH) return answerInvalid(where, `status ${status}`);
  const detail = isObject(body) ? body['detail'] : undefined;
  const sentence = typeof detail === 'string' ? detail : `the collector answered ${status}`;
  return new Fault(code, sentence, { retryable: status === 429 || status >= 500 });
}
