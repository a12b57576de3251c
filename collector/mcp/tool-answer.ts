import type { CallToolResult, ContentBlock } from '@modelcontextprotocol/server';
import type { Brief } from '../../core/brief/brief.js';
import { countTokens } from '../../core/brief/count-tokens.js';
import { fenced } from '../../core/brief/fenced.js';
import { neutralLine } from '../../core/brief/fit-text.js';
import { Fault } from '../../core/event/fault.js';
import type { JsonObject } from '../../core/event/json.js';

/** Tokens of one answer by default, at least and at most: of its text and its structured content together. */
export const ANSWER_TOKENS = { byDefault: 2_000, least: 1_500, most: 8_000 } as const;

/** What a tool found. */
export interface Answer {
  readonly brief: Pick<Brief, 'parts' | 'leftOut'>;
  /** Ids, counts, times and cursors: no text of an event. */
  readonly facts: JsonObject;
  /** Event whose raw payload is linked. */
  readonly rawEventId?: string;
}

const MAX_MESSAGE = 600;
const EXAMPLE = 'level:>=error service:api -release:v1.4.2 "timed out" last_seen:<24h';
/** The two forms of an answer, and what a brief does not count. */
const FORMS = 2;
const OVERHEAD = 120;
const MAX_ATTEMPTS = 8;

/** Composes an answer with ever smaller briefs until it fits. */
export async function fitAnswer(
  maxTokens: number,
  compose: (briefTokens: number) => Answer | Promise<Answer>,
): Promise<CallToolResult> {
  let briefTokens = Math.floor((maxTokens - OVERHEAD) / FORMS);
  let result: CallToolResult;
  for (let attempt = 1; ; attempt += 1) {
    result = toResult(await compose(briefTokens));
    const tokens = tokensOf(result);
    if (tokens <= maxTokens || attempt === MAX_ATTEMPTS) return result;
    briefTokens = Math.floor(briefTokens * Math.min(0.95, maxTokens / tokens));
  }
}

/** Composes an answer with as many rows as fit; `compose` may find fewer than `rows`, and returns how many. */
export async function fitRows(
  maxTokens: number,
  most: number,
  compose: (rows: number, briefTokens: number) => Promise<Answer & { readonly rows: number }>,
): Promise<CallToolResult> {
  for (let rows = most; rows > 1; ) {
    const answer = await compose(rows, maxTokens);
    const result = toResult(answer);
    const share = Math.min(1, maxTokens / tokensOf(result));
    const fitting = Math.min(answer.rows - (answer.brief.leftOut['rows'] ?? 0), Math.floor(answer.rows * share));
    if (fitting === answer.rows) return result;
    rows = fitting;
  }
  return await fitAnswer(maxTokens, (briefTokens) => compose(1, briefTokens));
}

/** Each text of an event is a block in its own fence. Clients show their model either the text or the structured content, so both hold everything. */
function toResult({ brief: { parts, leftOut }, facts, rawEventId }: Answer): CallToolResult {
  const fences = parts.flatMap((part) => (part.from === 'event' ? [fenced(part.text, part.origin)] : []));
  const content: ContentBlock[] = parts.map((part) => ({
    type: 'text',
    text: part.from === 'event' ? fenced(part.text, part.origin) : part.text,
  }));
  const { next_cursor: cursor } = facts;
  if (typeof cursor === 'string') content.push({ type: 'text', text: `Next cursor: ${cursor}` });
  if (rawEventId !== undefined) content.push({ type: 'resource_link', uri: rawUri(rawEventId), name: 'raw payload' });
  return { content, structuredContent: { ...facts, left_out: leftOut, event_text: fences.join('\n') } };
}

/** Tokens of an answer as a model may get it, at most. */
function tokensOf({ content, structuredContent }: CallToolResult): number {
  const texts = content.map((block) => (block.type === 'text' ? block.text : JSON.stringify(block)));
  return countTokens(texts.join('\n')) + countTokens(JSON.stringify(structuredContent));
}

/** Address of the raw payload of an event. */
export function rawUri(eventId: string): string {
  return `faultline://events/${eventId}/raw`;
}

/** What a tool failed with, as an answer that a model can act on. */
export function errorAnswer(error: unknown): CallToolResult {
  const [code, message] =
    error instanceof Fault ? [error.code, error.message] : ['INTERNAL_ERROR', 'Faultline failed; see its log.'];
  const hint = code === 'QUERY_INVALID' ? ` Example: ${EXAMPLE}` : '';
  return {
    isError: true,
    content: [{ type: 'text', text: `${code}: ${neutralLine(message, MAX_MESSAGE)}${hint}` }],
  };
}
