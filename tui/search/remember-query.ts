import type { SessionMemory } from '../preferences/session-memory.js';
import { MEMORY_LIMITS } from '../preferences/session-memory.js';

/** The memory with a query as its latest; an empty one is nothing to come back to. */
export function withQuery(memory: SessionMemory, query: string): SessionMemory {
  if (query === '') return memory;
  const others = memory.queries.filter((one) => one !== query);
  return { ...memory, queries: [...others, query].slice(-MEMORY_LIMITS.queries) };
}
