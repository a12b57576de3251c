import { parseQuery } from '../../core/query/parse-query.js';
import { QueryFault } from '../../core/query/query-fault.js';
import type { QuerySubject } from '../../core/query/query-fields.js';
import type { PromptProblem } from '../state/overlay.js';

/** Why a text is no query; undefined where it is one. */
export function queryProblem(text: string, subject: QuerySubject): PromptProblem | undefined {
  try {
    parseQuery(text, subject);
    return undefined;
  } catch (error) {
    if (error instanceof QueryFault) return { reason: error.message, column: error.column };
    throw error;
  }
}
