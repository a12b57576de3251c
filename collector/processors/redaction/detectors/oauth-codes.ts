import { isBase64Url } from './characters.js';
import type { TakeFinding } from './finding.js';

/** How far around a code its neighbour is looked for. */
const NEAR = 300;
const NEIGHBOUR = /(?:^|\W|\\[nrt])(?:state|session_state|grant_type|code_verifier)=/;

/** Finds the code of a query or form that also has a `state` or a `grant_type`, `at` being where `code=` begins. Answers where the next may begin. */
export function findOauthCode(text: string, at: number, found: TakeFinding): number {
  const start = at + 'code='.length;
  const before = text[at - 1];
  if (before !== '?' && before !== '&') return start;
  let end = start;
  while (end < start + 2_048 && isOfCode(text.charCodeAt(end))) end += 1;
  if (end - start < 10) return end;
  const around = `${text.slice(Math.max(0, at - NEAR), at).replace(/^.*\s/s, '')}${text.slice(end, end + NEAR).replace(/\s.*$/s, '')}`;
  if (NEIGHBOUR.test(around)) found(start, end, 'bearer_tokens');
  return end;
}

function isOfCode(code: number): boolean {
  return isBase64Url(code) || code === 0x2e || code === 0x2f || code === 0x25 || code === 0x7e;
}
