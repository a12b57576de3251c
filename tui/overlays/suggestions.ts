import { ruleLines } from '../../core/explain/comparison-lines.js';
import {
  decisionSentence,
  NO_SUGGESTIONS,
  suggestionLines,
  suggestionSentence,
} from '../../core/explain/suggestion-lines.js';
import type { Decision } from '../../core/storage/regroup/regrouping.js';
import type { DecidedSuggestion, Suggestion } from '../../generated/reader-answers.js';
import type { Menu, MenuItem } from '../state/overlay.js';
import { mayAct } from '../state/read-only.js';
import { type TerminalState, withEffect, withNotice } from '../state/terminal-state.js';
import { shortCount } from '../text/counts.js';
import { neutralisedLine, span, words, wrapLine } from '../text/line.js';
import { ago } from '../text/moments.js';
import { fitToCells, neutralise } from '../text/visible.js';
import { openMenu } from './menu.js';

type Listed = Suggestion | DecidedSuggestion;

const COUNT_CELLS = 7;
const QUESTIONS: Readonly<Record<Decision, string>> = {
  accept:
    'Make them one issue? New events like theirs join it, and all events are grouped again. u in Suggestions undoes it.',
  dismiss: 'Dismiss this suggestion? u in Suggestions lists it again.',
  undo: 'Undo this decision? The rule of an accepted suggestion is removed, and all events are grouped again.',
};

/** Reads the suggestions and opens their list, the decided ones last. */
export function openSuggestions(state: TerminalState): TerminalState {
  return withEffect(state, {
    perform: async ({ reader }) => {
      const { suggestions, decided } = await reader.suggestions();
      return (now) => {
        // The user may have opened something else meanwhile.
        if (now.overlay !== undefined) return now;
        const items = [...suggestions, ...decided].map((one, selected) => ({
          ...listRow(one, now.nowMs),
          run: (later: TerminalState): TerminalState => openEvidence(later, one, { ...menu, selected }),
        }));
        const menu = openMenu('Suggestions', items);
        return items.length === 0 ? withNotice(now, NO_SUGGESTIONS) : { ...now, overlay: menu };
      };
    },
  });
}

function listRow(one: Listed, nowMs: number): { label: string; detail: string } {
  if ('state' in one) return { label: one.state, detail: `${ago(one.at, nowMs)}: ${one.pattern}` };
  return { label: `${shortCount(one.events_total)} events`, detail: `${suggestionSentence(one)} ${one.service}` };
}

function openEvidence(state: TerminalState, one: Listed, under: Menu<TerminalState>): TerminalState {
  return withEffect(state, {
    perform: async ({ reader }) => {
      const { issues } = await reader.listIssues({ query: `issue_id:[${one.issue_ids.join(', ')}]`, sort: 'count' });
      return (now) => {
        if (now.overlay !== undefined) return now;
        const titles = issues.map(({ count, title }) => [
          span(fitToCells(`${shortCount(count)}  `, COUNT_CELLS, 'right'), 'strong'),
          span(neutralise(title)),
        ]);
        const text = [...suggestionLines(one), [], ...ruleLines(one.rule), []].map(neutralisedLine);
        const wrapped = [...text, ...titles].flatMap((line) => wrapLine(line, now.size.columns - 2, COUNT_CELLS));
        const lines = wrapped.map((line) => [words('  '), ...line]);
        const decisions: readonly Decision[] = 'state' in one ? ['undo'] : ['accept', 'dismiss'];
        const actions = mayAct(now) ? decisions.map((decision) => asking(one, decision)) : [];
        return { ...now, overlay: { kind: 'sheet', title: 'Suggestion', lines, top: 0, actions, under } };
      };
    },
  });
}

/** Asks before a decision; its key is the first letter. */
function asking(one: Suggestion, decision: Decision): MenuItem<TerminalState> {
  const text = [suggestionSentence(one), QUESTIONS[decision]];
  const yes = (state: TerminalState): TerminalState =>
    withEffect(withNotice(state, 'Working…'), {
      perform: async ({ reader, actor = null }) => {
        const result = (await reader.decide?.(one.id, decision, { by: actor })) ?? null;
        return (now) => withNotice(now, decisionSentence(decision, result), 'good');
      },
    });
  const run = (state: TerminalState): TerminalState => ({ ...state, overlay: { kind: 'question', text, yes } });
  return { key: decision.charAt(0), label: decision, run };
}
