import { readPages } from '../../core/contract/read-pages.js';
import type { FailureReader } from '../../core/contract/reader.js';
import { messageOf } from '../../core/event/fault.js';
import { parseQuery } from '../../core/query/parse-query.js';
import type { IssueSummary } from '../../generated/reader-answers.js';
import { type Baseline, baselineKey } from './baseline.js';
import { brokenRule, type GateIssue, type GateRule } from './gate-report.js';

const OPENS = '([';
const CLOSES = ')]';

/** Splits rules at commas outside of quotes and brackets, and checks their queries. Throws a `QueryFault`. */
export function parseFailOn(text: string): string[] {
  const rules = [''];
  let isQuoted = false;
  let depth = 0;
  for (const character of text) {
    if (character === '"') isQuoted = !isQuoted;
    if (!isQuoted) depth += Number(OPENS.includes(character)) - Number(CLOSES.includes(character));
    if (character === ',' && !isQuoted && depth <= 0) rules.push('');
    else rules.push((rules.pop() ?? '') + character);
  }
  const named = [...new Set(rules.map((rule) => rule.trim()).filter((rule) => rule !== ''))];
  for (const rule of named) if (!isState(rule)) parseQuery(rule, 'issues');
  return named;
}

const isState = (rule: string): rule is 'new' | 'regressed' => rule === 'new' || rule === 'regressed';

/** What was known before a run. */
export interface KnownBefore {
  readonly baseline: Baseline | undefined;
  /** Issues of the data folder by id, with whether they were marked as regressed. */
  readonly stored: ReadonlyMap<string, boolean>;
}

/** The state of an issue of a run; null if nothing was known before. */
export function stateOf(issue: IssueSummary, { baseline, stored }: KnownBefore): GateIssue['state'] {
  const listed = baseline?.get(baselineKey(issue));
  const cameBack = issue.regressed && stored.get(issue.issue_id) === false;
  if (listed?.state === 'resolved' || cameBack) return 'regressed';
  if (baseline !== undefined) return listed === undefined ? 'new' : 'known';
  if (stored.size === 0) return null;
  return stored.has(issue.issue_id) ? 'known' : 'new';
}

/** Judges the rules over the issues of a run. */
export async function judgeRun(
  rules: readonly string[],
  states: ReadonlyMap<string, GateIssue['state']>,
  reader: Pick<FailureReader, 'listIssues'>,
  noBaseline: string | undefined,
): Promise<GateRule[]> {
  return await Promise.all(
    rules.map(async (name) => {
      try {
        if (isState(name) && noBaseline !== undefined)
          return { name, status: 'no_data', observed: null, threshold: 0, reason: noBaseline, issues: [] } as const;
        const failing = isState(name)
          ? [...states].filter(([, state]) => state === name).map(([id]) => id)
          : (await matching(reader, name)).filter((id) => states.has(id));
        const status = failing.length > 0 ? 'fail' : 'pass';
        return { name, status, observed: failing.length, threshold: 0, reason: null, issues: failing } as const;
      } catch (error) {
        return brokenRule(name, messageOf(error));
      }
    }),
  );
}

async function matching(reader: Pick<FailureReader, 'listIssues'>, query: string): Promise<string[]> {
  const ids: string[] = [];
  for await (const { issues } of readPages((cursor) => reader.listIssues({ query, limit: 500, cursor })))
    ids.push(...issues.map(({ issue_id }) => issue_id));
  return ids;
}
