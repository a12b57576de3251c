import { Fault } from '../../core/event/fault.js';

/** What is thrown for an answer that a collector of ours would not have given. */
export function answerInvalid(where: string, problem: string): Fault {
  return new Fault(
    'COLLECTOR_ANSWER_INVALID',
    `${where} answered something that is not from a Faultline collector of this version: ${problem}. Check that --url names its reading endpoint (port 4319 unless configured).`,
  );
}
