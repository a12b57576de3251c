import { HIDDEN_CODE_POINT } from '../event/hidden-characters.js';
import { TERMINAL_SEQUENCE } from '../event/text.js';

const PLAIN = /^[\w ,.;:'"/()+=-]*$/;
const HIDDEN_RUN = new RegExp(`(?:(?![\\n\\ufe0f])${HIDDEN_CODE_POINT.source})+|(?<!\\p{Emoji})\\ufe0f+`, 'gu');
/** More marks on one character paint over what is around it. */
const PILED_MARKS = /(?<=\p{M}{4})\p{M}+/gu;

/** Names in angle brackets that stacks and our own parameterized messages write. */
const STACK_NAMES =
  'anonymous|module|lambda|init|clinit|locals|unknown|native|string|stdin|listcomp|genexpr|setcomp|dictcomp|eval|wasm|main|text|n|hash|host|time|path|value|url|email|size|file|blob|generated|location|frozen [\\w.]{1,60}';

/** What a model or a renderer may take for structure, and its harmless form. */
const MARKUP: readonly (readonly [RegExp, string])[] = [
  [new RegExp(`[<\\uff1c\\ufe64](?!(?:${STACK_NAMES})>)(?=[\\p{L}/!?|<_])`, 'gu'), '‹'],
  [/\[(\/?(?:INST|SYS|SYSTEM|USER|ASSISTANT|HUMAN|AVAILABLE_TOOLS|TOOL_CALLS|TOOL_RESULTS))\]/gi, '‹$1›'],
  [
    /^([ \t>*_"'`|-]{0,20})(human|assistant|system|user|developer|tool|function|instructions?)(?=[*_"'` \t]{0,8}[:\uff1a])/gim,
    '$1‹$2›',
  ],
  [/^([ \t>|-]{0,20})#/gm, '$1\\#'],
  [/`{3,}/g, "'''"],
  [/~{3,}/g, '‹~›'],
  [/\]\(/g, '] ('],
  [/\b((?:java|vb)script|data(?=:\w{1,20}\/)):/gi, '$1‹:›'],
];

/**
 * Text of an event with nothing hidden and without markup that a model may follow: controls and hidden characters are named, escape sequences of
 * terminals removed, tags, turn marks, headings, fences and links made plain. Newlines stay; idempotent.
 */
export function neutralText(text: string): string {
  if (PLAIN.test(text) && !text.includes(':')) return text;
  let shown = text
    .replace(TERMINAL_SEQUENCE, '')
    .replace(/\r\n?|[\u0085\u2028\u2029\v\f]/g, '\n')
    .replaceAll('\t', '  ')
    .replace(HIDDEN_RUN, hiddenForm)
    .replace(PILED_MARKS, (marks) => `‹${marks.length} marks›`);
  for (const [pattern, form] of MARKUP) shown = shown.replace(pattern, form);
  return shown;
}

function hiddenForm(run: string): string {
  const code = (run.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0');
  return run.length > 2 ? `‹${run.length} hidden characters from U+${code}›` : `‹U+${code}›`;
}
