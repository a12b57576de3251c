import { completeQuery } from '../../core/query/complete-query.js';
import { MAX_QUERY_LENGTH } from '../../core/query/parse-query.js';
import type { QuerySubject } from '../../core/query/query-fields.js';
import { openPrompt } from '../overlays/prompt.js';
import { MEMORY_LIMITS, type SessionMemory } from '../preferences/session-memory.js';
import type { Prompt, PromptProblem } from '../state/overlay.js';
import type { TerminalState } from '../state/terminal-state.js';
import { knownValues } from './known-values.js';
import { queryProblem } from './query-problem.js';

export interface AskQueryOptions {
  /** Stands before the text. */
  readonly label: string;
  readonly subject: QuerySubject;
  /** What it begins with. */
  readonly draft: string;
  /** UTF-16 units that must stay free in the query; default 0. */
  readonly reserved?: number;
  readonly accept: (state: TerminalState, query: string) => TerminalState;
}

/** Asks for a query: Tab completes fields and values, Up and Down bring back earlier ones, a mistake stands under its column. */
export function askQuery(state: TerminalState, options: AskQueryOptions): Prompt<TerminalState> {
  const { label, subject, draft, reserved = 0, accept } = options;
  return openPrompt(
    {
      label,
      history: state.memory.queries,
      complete: (now, text, cursor) => completeQuery(text, cursor, subject, knownValues(now)),
      check: (text) => tooLong(text, MAX_QUERY_LENGTH - reserved) ?? queryProblem(text, subject),
      hint: (_now, text) =>
        text === '' ? 'level:error env:prod* count:>100 -release:v1.4.2 "a phrase"   Tab completes' : '',
      accept: (now, query) => accept({ ...now, memory: withQuery(now.memory, query) }, query),
    },
    draft,
  );
}

function tooLong(text: string, longest: number): PromptProblem | undefined {
  if (text.length <= longest) return undefined;
  return { reason: `Query: longer than ${longest} characters; ask in fewer words.`, column: longest + 1 };
}

/** The memory with a query as its latest; an empty one is nothing to come back to. */
function withQuery(memory: SessionMemory, query: string): SessionMemory {
  if (query === '') return memory;
  const others = memory.queries.filter((one) => one !== query);
  return { ...memory, queries: [...others, query].slice(-MEMORY_LIMITS.queries) };
}
