import type { ErrorObject, ValidateFunction } from 'ajv/dist/2020.js';
import { Fault } from '../../core/event/fault.js';

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
