import type { RawPayload } from '../event/raw-payload.js';
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
  return text.length > MAX_TEXT ? `${text.slice(0, MAX_TEXT)}*` : text;
}

const MAX_FIXED = 200;

/** Rules that may join two issues, the one with the smallest effect first. */
export async function* joinCandidates(
  a: GroupedExample,
  b: GroupedExample,
  settings: GroupingSettings,
): AsyncGenerator<RuleCandidate> {
  const title = `one issue: ${a.fingerprint.title}`;
  const queries = queriesFor(a, b);
  const { patterns_off: off, rules } = settings;
  for (const row of new Set([...off, ...rules.flatMap((rule) => rule.patterns_off ?? [])])) {
    for (const query of queries) {
      const why = `Values of the kind ${row} no longer tell failures of this query apart.`;
      yield { title, place: 'last', why, rule: { query, patterns_on: [row] } };
    }
  }
  const frameOf = frameReader(settings);
  const frames = [frameOf(a.payload), frameOf(b.payload)];
  if (frames.every((frame) => frame?.function !== undefined)) {
    for (const query of queries) {
      const why = 'What fails in one function with one error type becomes one issue; messages no longer count.';
      yield { title, place: 'first', why, rule: { query, fingerprint: ['{{ error_name }}', '{{ function }}'] } };
    }
  }
  const [one, other] = frames;
  for (const ignored of ignoredFrames(one ?? null, other ?? null)) {
    for (const query of queries) {
      const why = 'The frame no longer decides; the next one below it on the stack does.';
      yield { title, place: 'last', why, rule: { query, ignore_frames: ignored } };
    }
  }
  if ([a, b].every(({ fingerprint }) => (basisValue(fingerprint, 'message') ?? '') !== '')) {
    for (const parts of [['{{ error_name }}', '{{ message }}'], ['{{ message }}']]) {
      for (const query of queries) {
        const why = 'Failures of this query differ only in their message, with its values replaced.';
        yield { title, place: 'first', why, rule: { query, fingerprint: parts } };
      }
    }
  }
  // Braces would be taken for a variable.
  const fixed = `one issue: ${a.fingerprint.title.slice(0, MAX_FIXED).replaceAll(/[{}]/g, '')}`;
  const narrow = narrowQuery(a, b);
  for (const query of narrow === undefined ? queries : [narrow, ...queries]) {
    // An empty query would join all events.
    if (query === '') continue;
    const why = 'Everything that the query matches becomes one issue; make the query as narrow as it has to be.';
    yield { title, place: 'first', why, rule: { query, fingerprint: [fixed] } };
  }
}

function ignoredFrames(a: FrameMatcher | null, b: FrameMatcher | null): FrameMatcher[][] {
  const single = [a, b].flatMap((frame) => (frame === null ? [] : [[frame]]));
  const isOne = JSON.stringify(a) === JSON.stringify(b);
  if (isOne) return single.slice(0, 1);
  return a === null || b === null ? single : [...single, [a, b]];
}
