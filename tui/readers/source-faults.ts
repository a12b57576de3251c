import { Fault } from '../../core/event/fault.js';

/** What a source says of what it was asked; everything else says something of the source. */
const OF_THE_QUESTION: ReadonlySet<string> = new Set([
  'QUERY_INVALID',
  'CURSOR_INVALID',
  'PARAMETER_INVALID',
  'EXPLAIN_NOT_FOUND',
  'ISSUE_NOT_FOUND',
  'ACTION_INVALID',
  'ACTION_NOT_FOUND',
  'SNOOZE_INVALID',
  'ISSUES_NOT_MERGED',
]);

/** Whether the source is well and the question was not. */
export function isQuestionFault(error: unknown): error is Fault {
  return error instanceof Fault && OF_THE_QUESTION.has(error.code);
}

const CODES: ReadonlySet<string> = new Set(['TOKEN_MISSING', 'TOKEN_WRONG']);

/** Whether a source answers, and only wants another token. */
export function isUnauthorized(error: unknown): boolean {
  return error instanceof Fault && CODES.has(error.code);
}
