import type { IncomingMessage } from 'node:http';
import { isIssueSummary } from '../../generated/answer-checks.js';
import { CHANGE_KINDS, type ChangePosition, type IssueChange } from '../contract/reader.js';
import { parseJson } from '../event/json.js';
import { checkResponse, invalidResponse } from './response-faults.js';

/** UTF-16 units of one event, which holds an issue. */
const MAX_BLOCK = 1024 * 1024;

/** Parses server-sent events (WHATWG HTML, 9.2) of a collector. Throws `COLLECTOR_ANSWER_INVALID`. */
export async function* parseChanges(
  stream: IncomingMessage,
  where: string,
): AsyncGenerator<IssueChange | ChangePosition> {
  /** Pieces of the block that has not ended; joined once, because a server may send single characters. */
  let rest: string[] = [];
  let restLength = 0;
  let isLineEnded = false;
  for await (const text of stream.setEncoding('utf8')) {
    rest.push(text);
    restLength += text.length;
    const isBlockEnded = text.includes('\n\n') || (isLineEnded && text.startsWith('\n'));
    isLineEnded = text.endsWith('\n');
    if (isBlockEnded) {
      const blocks = rest.join('').split('\n\n');
      const last = blocks.pop() ?? '';
      for (const block of blocks) yield* changeOf(block, where);
      rest = [last];
      restLength = last.length;
    }
    if (restLength > MAX_BLOCK) throw invalidResponse(where, `an event of more than ${MAX_BLOCK} characters`);
  }
}

/** Comments, the delay of a reconnection and the end of a slow reader are no changes. */
function* changeOf(block: string, where: string): Generator<IssueChange | ChangePosition> {
  const fields = new Map(block.split('\n').map((line) => splitField(line)));
  const cursor = fields.get('id');
  if (cursor === undefined) return;
  const event = fields.get('event');
  const kind = CHANGE_KINDS.find((one) => event === `issue.${one}`);
  if (kind !== undefined) {
    yield { kind, issue: checkResponse(parseJson(fields.get('data') ?? ''), isIssueSummary, where), cursor };
  } else if (event === undefined || event === 'reset') {
    yield { kind: event ?? 'caught_up', cursor };
  }
}

function splitField(line: string): [name: string, value: string] {
  const end = line.indexOf(': ');
  return end < 0 ? [line, ''] : [line.slice(0, end), line.slice(end + 2)];
}
