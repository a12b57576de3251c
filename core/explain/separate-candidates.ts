import type { RawPayload } from '../event/raw-payload.js';
import type { GroupingSettings } from '../fingerprint/grouping-settings.js';
import { PATTERN_NAMES } from '../fingerprint/message/message-patterns.js';
import { messageText } from '../fingerprint/message/message-text.js';
import { createParameterizer, parameterize } from '../fingerprint/message/parameterize.js';
import { beginTimeSlice } from '../time-slice.js';
import { type GroupedExample, queriesFor } from './query-for.js';
import type { RuleCandidate } from './try-candidates.js';

/** Disabling more patterns at once would replace hardly any values. */
const MAX_ROWS = 3;

/** Finds few patterns that make two messages equal, by halving the table because each try compiles it; empty if more than `MAX_ROWS` are needed. Yields to the event loop. */
async function hidingRows(a: RawPayload, b: RawPayload, { patterns_off: off }: GroupingSettings): Promise<string[]> {
  if (a.message === b.message) return [];
  const slice = beginTimeSlice();
  const differWithout = async (rows: readonly string[]): Promise<boolean> => {
    if (slice.isOver) await slice.next();
    const replace = createParameterizer(new Set([...off, ...rows]));
    const read = ({ message, extra }: RawPayload): string => messageText(message, extra, null, replace).value;
    return read(a) !== read(b);
  };
  let rows = [...PATTERN_NAMES];
  if (!(await differWithout(rows))) return [];
  while (rows.length > 1) {
    const middle = rows.length >> 1;
    const [first, second] = [rows.slice(0, middle), rows.slice(middle)];
    if (await differWithout(first)) rows = first;
    else if (await differWithout(second)) rows = second;
    else break;
  }
  return rows.length > MAX_ROWS ? [] : rows;
}

const MAX_TAGS = 64;
const FIELDS = ['route', 'method', 'status_code', 'release', 'environment'] as const;

/** Rules that may separate two events of an issue, the one with the smallest effect first. */
export async function* separateCandidates(
  a: GroupedExample,
  b: GroupedExample,
  settings: GroupingSettings,
): AsyncGenerator<RuleCandidate> {
  const title = `apart: ${a.fingerprint.title}`;
  const [query = ''] = queriesFor(a, b);
  const why = 'The message, with its values replaced, decides as well.';
  yield { title, place: 'first', why, rule: { query, fingerprint: ['{{ default }}', '{{ message }}'] } };
  const rows = await hidingRows(a.payload, b.payload, settings);
  if (rows.length > 0) {
    const kinds = `Values of the kind ${rows.join(' and ')} stay in the messages of this query`;
    const effect = `${kinds}: each other value there becomes an issue of its own.`;
    yield { title, place: 'last', why: effect, rule: { query, patterns_off: rows } };
  }
  for (const field of differingFields(a.payload, b.payload)) {
    const splitting = `Each value of ${field} becomes an issue of its own.`;
    yield { title, place: 'last', why: splitting, rule: { query, split_by: [field] } };
  }
}

/** Tags first, with generated values last, then fields. */
function differingFields(a: RawPayload, b: RawPayload): string[] {
  const keys = [...new Set([...Object.keys(a.tags), ...Object.keys(b.tags)])].slice(0, MAX_TAGS);
  const differing = keys.filter((key) => key !== '' && a.tags[key] !== b.tags[key]);
  const isPlain = (key: string): boolean => [a.tags[key], b.tags[key]].every((text) => !isGenerated(text));
  const ordered = [...differing.filter(isPlain), ...differing.filter((key) => !isPlain(key))];
  return [...ordered.map((key) => `tags.${key}`), ...FIELDS];
}

/** Whether parameterizing changes the text. */
function isGenerated(text: string | undefined): boolean {
  return text !== undefined && text.length < 1_000 && parameterize(text) !== text;
}
