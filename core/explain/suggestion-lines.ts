import type { DecidedSuggestion, RegroupResult, Suggestion } from '../../generated/reader-answers.js';
import { type ExplainedLine, labelledLines } from './explained-line.js';

/** Shown if there are no suggestions. */
export const NO_SUGGESTIONS = 'No suggestions: no issues look like one, and no issue looks like several.';

const ID_LENGTH = 8;
const TEXT_AT = 13;
const DONE = { accept: 'Accepted', dismiss: 'Dismissed', undo: 'Undone' };

/** What a suggestion says, in one sentence. */
export function suggestionSentence({ purpose, issues_total, values_total, varies }: Suggestion): string {
  if (purpose === 'separate') return `One issue looks like ${values_total}: ${varies} differs.`;
  return `${issues_total.toLocaleString('en')} issues look like one: ${varies} varies.`;
}

/** Formats a suggestion with its evidence, without the rule. */
export function suggestionLines(one: Suggestion | DecidedSuggestion): ExplainedLine[] {
  const { id, purpose, app, service, events_total, pattern, values, values_total } = one;
  const more = values_total - values.length;
  const facts = {
    service: `${app} / ${service}`,
    events: events_total.toLocaleString('en'),
    pattern,
    [purpose === 'join' ? 'values' : 'messages']:
      `${values.join(purpose === 'join' ? ', ' : '; ')}${more > 0 ? ` and ${more.toLocaleString('en')} more` : ''}`,
    ...('state' in one && { [one.state]: one.by === null ? one.at : `${one.at} by ${one.by}` }),
  };
  return [
    ...labelledLines(id.slice(0, ID_LENGTH), suggestionSentence(one), { at: TEXT_AT, tone: 'strong' }),
    ...Object.entries(facts).flatMap(([label, text]) => labelledLines(`  ${label}`, text, { at: TEXT_AT })),
  ];
}

/** What a decision did, in one sentence; `result` is that of its regrouping. */
export function decisionSentence(decision: keyof typeof DONE, result: RegroupResult | null): string {
  if (result === null) return `${DONE[decision]}.`;
  const { issues_before: before, issues_after: after } = result;
  return `${DONE[decision]}. Issues: ${before.toLocaleString('en')} before, ${after.toLocaleString('en')} now.`;
}
