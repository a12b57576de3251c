import type { IssueId } from '../../core/event/ids.js';
import { MAX_QUERY_LENGTH } from '../../core/query/parse-query.js';
import type { IssueSummary } from '../../core/reader.js';
import { isQuestionFault } from './question-fault.js';
import type { SourceReader } from './source.js';
import type { SourceLink } from './source-link.js';

/** Ids in one question: within the lengths of queries, and of the number of values that they may hold. */
const MAX_IDS = 100;
const ID_LENGTH = 37;
const FRAME_LENGTH = '() issue_id:[]'.length;

/** Those of the named issues that a source has and that match; empty where it does not answer. */
export async function lookUpIssues(
  link: SourceLink,
  issueIds: readonly IssueId[],
  query: string,
): Promise<readonly IssueSummary[]> {
  const room = Math.floor((MAX_QUERY_LENGTH - FRAME_LENGTH - query.length) / ID_LENGTH);
  const step = Math.max(1, Math.min(MAX_IDS, room));
  const pieces: IssueId[][] = [];
  for (let at = 0; at < issueIds.length; at += step) pieces.push(issueIds.slice(at, at + step));
  const found = await Promise.all(pieces.map((piece) => askFor(link, piece, query)));
  return found.flat();
}

async function askFor(link: SourceLink, issueIds: readonly IssueId[], query: string): Promise<readonly IssueSummary[]> {
  const named = `issue_id:[${issueIds.join(',')}]`;
  const narrowed = query.trim() === '' ? named : `(${query}) ${named}`;
  const options = { query: narrowed, limit: issueIds.length };
  const ask = (reader: SourceReader) => reader.listIssues(options);
  try {
    const answer = await link.ask(`lookup ${narrowed}`, ask);
    return 'value' in answer ? answer.value.issues : [];
  } catch (error) {
    // A query that is all but too long has no room for ids. Then an issue may stand in the list twice, which is better than not at all.
    if (isQuestionFault(error) && query.trim() !== '') return [];
    throw error;
  }
}
