import type { FailureReader } from '../../../core/contract/reader.js';
import { Fault } from '../../../core/event/fault.js';
import { ruleLines } from '../../../core/explain/comparison-lines.js';
import { BLANK, type ExplainedLine, headingLines } from '../../../core/explain/explained-line.js';
import { decisionSentence, NO_SUGGESTIONS, suggestionLines } from '../../../core/explain/suggestion-lines.js';
import { DECISIONS, type Decision } from '../../../core/storage/regroup/regrouping.js';
import type { Suggestion, Suggestions } from '../../../generated/reader-answers.js';
import { counted, paintLines } from '../paint-lines.js';
import { jsonText, type RegroupCommandOptions, withRegrouping } from './regroup.js';
import { previewLines } from './regroup-report.js';

/** Options of `faultline suggest`; at most one list of ids, as typed. */
export interface SuggestCommandOptions
  extends Record<'preview' | Decision, readonly string[] | undefined>,
    Pick<RegroupCommandOptions, 'open' | 'json' | 'env' | 'stdout' | 'stderr'> {
  /** Opens the collector or the folder for reading. */
  openList: () => Promise<FailureReader>;
  service: string | undefined;
  /** Who decides. */
  by: string | null;
}

const ID_LENGTH = 8;
const DONE = 0;

/** Lists, previews or decides about suggestions. Exit code 0 done, 130 interrupted. */
export async function runSuggest(options: SuggestCommandOptions): Promise<number> {
  const { json, env, stdout, service, by } = options;
  const action = (['preview', ...DECISIONS] as const).find((name) => options[name] !== undefined);
  const reader = await options.openList();
  const all = await reader.suggestions(service === undefined ? {} : { service }).finally(() => reader.close());
  if (action === undefined) {
    stdout.write(json ? jsonText(all) : paintLines(listLines(all), stdout, env));
    return DONE;
  }
  for (const suggestion of (options[action] ?? []).map((id) => findSuggestion(all, id))) {
    const label = action === 'preview' ? 'previewing' : 'regrouping';
    const code = await withRegrouping(options, label, async (regrouping, how) => {
      if (action !== 'preview') {
        const result = await regrouping.decide(suggestion.id, action, { ...how, by }).catch(undefinedIfGone);
        if (result === undefined) return voidText(suggestion.id, action, json);
        const text = `${suggestion.id.slice(0, ID_LENGTH)}  ${decisionSentence(action, result)}\n`;
        return json ? jsonText({ id: suggestion.id, decision: action, result }) : text;
      }
      const { result } = await regrouping.preview({ rules: [suggestion.rule], keep_rules: true }, how);
      if (json) return jsonText(result);
      const blocks = [suggestionLines(suggestion), ruleLines(suggestion.rule), previewLines(result)];
      const lines = blocks.flatMap((block, index) => (index === 0 ? block : [BLANK, ...block]));
      return paintLines(lines, stdout, env);
    });
    if (code !== DONE) return code;
  }
  return DONE;
}

/** A suggestion that was listed is gone if an earlier decision changed its issues. */
function undefinedIfGone(error: unknown): undefined {
  if (error instanceof Fault && error.code === 'SUGGESTION_NOT_FOUND') return undefined;
  throw error;
}

function voidText(id: string, decision: Decision, json: boolean): string {
  if (json) return jsonText({ id, decision, result: null, void: true });
  return `${id.slice(0, ID_LENGTH)}  Nothing to ${decision}: an earlier decision changed its issues.\n`;
}

function findSuggestion({ suggestions, decided }: Suggestions, typed: string): Suggestion {
  const [suggestion, second] = [...suggestions, ...decided].filter(({ id }) => id.startsWith(typed.toLowerCase()));
  if (suggestion !== undefined && second === undefined && typed.length >= ID_LENGTH) return suggestion;
  const sentence = `"${typed}" is not the id of a suggestion, or its first 8 characters; \`faultline suggest\` lists them.`;
  throw new Fault('SUGGESTION_NOT_FOUND', sentence);
}

function listLines({ suggestions, decided }: Suggestions): ExplainedLine[] {
  const total = `${counted(suggestions.length, 'suggestion')}. Nothing changes until you accept one.`;
  const heading = headingLines(suggestions.length === 0 ? NO_SUGGESTIONS : total);
  return [...heading, ...[...suggestions, ...decided].flatMap((suggestion) => [BLANK, ...suggestionLines(suggestion)])];
}
