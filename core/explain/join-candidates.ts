import type { RawPayload } from '../event/raw-payload.js';
import { cutText } from '../event/text.js';
import { createGrouper } from '../fingerprint/grouper.js';
import type { FrameMatcher, GroupingSettings } from '../fingerprint/grouping-settings.js';
import { basisValue, type GroupedExample, narrowQuery, queriesFor } from './query-for.js';
import type { RuleCandidate } from './try-candidates.js';

/** A rule whose fingerprint is the deciding frame, to read it as rules do. */
const FRAME_RULE = { name: 'the frame', query: '', fingerprint: ['{{ function }}', '{{ module }}', '{{ file }}'] };
const MAX_TEXT = 500;

function frameReader(settings: GroupingSettings): (payload: RawPayload) => FrameMatcher | null {
  const grouper = createGrouper({ ...settings, rules: [FRAME_RULE, ...settings.rules] });
  return (payload) => {
    const filled = grouper.fingerprint(payload).basis.parts.find(({ part, used }) => part === 'rule' && used)?.value;
    const [name, module, file] = Array.isArray(filled) ? filled.map(matcherText) : [];
    if (name !== undefined) return { function: name, ...(module !== undefined && { module }) };
    if (module !== undefined) return { module };
    return file === undefined ? null : { file };
  };
}

function matcherText(text: unknown): string | undefined {
  if (typeof text !== 'string' || text.trim() === '') return undefined;
  return text.length > MAX_TEXT ? `${cutText(text, MAX_TEXT)}*` : text;
}

const MAX_FIXED = 200;

type Variant = Pick<RuleCandidate, 'place' | 'why'> & { readonly effect: Omit<RuleCandidate['rule'], 'query'> };

/** Rules that may join two issues, the one with the smallest effect first. */
export function joinCandidates(a: GroupedExample, b: GroupedExample, settings: GroupingSettings): RuleCandidate[] {
  const title = `one issue: ${a.fingerprint.title}`;
  const queries = queriesFor(a, b);
  const rows = [...settings.patterns_off, ...settings.rules.flatMap((rule) => rule.patterns_off ?? [])];
  const frameOf = frameReader(settings);
  const frames = [frameOf(a.payload), frameOf(b.payload)] as const;
  const areNamed = frames.every((frame) => frame?.function !== undefined);
  const haveMessages = [a, b].every(({ fingerprint }) => (basisValue(fingerprint, 'message') ?? '') !== '');
  const variants: Variant[] = [
    ...[...new Set(rows)].map((row): Variant => {
      const why = `Values of the kind ${row} no longer tell failures of this query apart.`;
      return { place: 'last', why, effect: { patterns_on: [row] } };
    }),
    ...(areNamed ? [['{{ error_name }}', '{{ function }}']] : []).map((fingerprint): Variant => {
      const why = 'What fails in one function with one error type becomes one issue; messages no longer count.';
      return { place: 'first', why, effect: { fingerprint } };
    }),
    ...ignoredFrames(...frames).map((ignored): Variant => {
      const why = 'The frame no longer decides; the next one below it on the stack does.';
      return { place: 'last', why, effect: { ignore_frames: ignored } };
    }),
    ...(haveMessages ? [['{{ error_name }}', '{{ message }}'], ['{{ message }}']] : []).map((fingerprint): Variant => {
      const why = 'Failures of this query differ only in their message, with its values replaced.';
      return { place: 'first', why, effect: { fingerprint } };
    }),
  ];
  // Braces would be taken for a variable.
  const fingerprint = [`one issue: ${cutText(a.fingerprint.title, MAX_FIXED).replaceAll(/[{}]/g, '')}`];
  const why = 'Everything that the query matches becomes one issue; make the query as narrow as it has to be.';
  // An empty query would join all events.
  const narrow = [narrowQuery(a, b) ?? '', ...queries].filter((query) => query !== '');
  return [
    ...variants.flatMap(({ effect, ...one }) =>
      queries.map((query) => ({ title, ...one, rule: { query, ...effect } })),
    ),
    ...narrow.map((query): RuleCandidate => ({ title, place: 'first', why, rule: { query, fingerprint } })),
  ];
}

function ignoredFrames(a: FrameMatcher | null, b: FrameMatcher | null): FrameMatcher[][] {
  const single = [a, b].flatMap((frame) => (frame === null ? [] : [[frame]]));
  const isOne = JSON.stringify(a) === JSON.stringify(b);
  if (isOne) return single.slice(0, 1);
  return a === null || b === null ? single : [...single, [a, b]];
}
