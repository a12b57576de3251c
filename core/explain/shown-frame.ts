import type { RawPayload } from '../event/raw-payload.js';
import { createGrouper } from '../fingerprint/grouper.js';
import type { FrameMatcher, GroupingSettings } from '../fingerprint/grouping-settings.js';

/** A rule that fills in what the frame that decides is called: the way by which every rule learns it. */
const ASKING = { name: 'the frame', query: '', fingerprint: ['{{ function }}', '{{ module }}', '{{ file }}'] };
const MAX_TEXT = 500;

/** Matches the frame that decides for each payload; null where none does. */
export function frameReader(settings: GroupingSettings): (payload: RawPayload) => FrameMatcher | null {
  const grouper = createGrouper({ ...settings, rules: [ASKING, ...settings.rules] });
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
