import { setTimeout as delay } from 'node:timers/promises';
import { parseDuration } from '../../../config/values/duration.js';
import { noticeLine, printable } from '../../../config/values/printable.js';
import type { FailureReader } from '../../../core/contract/reader.js';
import { Fault, messageOf } from '../../../core/event/fault.js';
import { parseQuery } from '../../../core/query/parse-query.js';
import { describeIssues, type SeenIssue } from '../../gate/describe-issue.js';
import { brokenRule, type GateReport, type GateRule } from '../../gate/gate-report.js';
import { type CountedIssues, judgeRelease, type ReleaseChoice, type ReleaseLimits } from '../../gate/release-rules.js';
import { checkReportTargets, parseReportTarget, type ReportTarget, writeReports } from '../../gate/write-reports.js';
import type { TextSink } from '../command-line.js';
import { INTERRUPTED, type ProgressStream, withProgress } from '../long-work.js';

/** Options of `faultline gate`. */
export interface GateOptions extends ReleaseChoice {
  /** How long to wait for a breach, as written. */
  readonly for: string;
  readonly maxNew: string | undefined;
  /** A factor, for example `2x`. */
  readonly maxRate: string | undefined;
  readonly minCrashFree: string | undefined;
  readonly queries: readonly string[];
  readonly reports: readonly string[];
  /** Whether the exit code is 0 whatever is found. */
  readonly isDryRun: boolean;
  readonly reader: FailureReader;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly stdout: TextSink;
  readonly stderr: ProgressStream;
}

interface GateSettings {
  readonly limits: ReleaseLimits;
  readonly waitMs: number;
  readonly targets: readonly ReportTarget[];
}

const USAGE = 2;
const POLL_MS = 5_000;
const MAX_FAILURES = 5;
const FIRST_RETRY_MS = 250;
const NUMBER = /^\d{1,9}(?:\.\d{1,4})?$/;

/** Watches a release until a time is over or a rule about issues fails. Exit code 0; 3 for a breach, 70 without a verdict, 2 for wrong usage. */
export async function runGate(options: GateOptions): Promise<number> {
  let settings: GateSettings;
  try {
    settings = parseSettings(options);
    await checkReportTargets(settings.targets);
  } catch (error) {
    options.stderr.write(noticeLine(messageOf(error)));
    return USAGE;
  }
  const { limits, waitMs, targets } = settings;
  const { reader, env, stdout, stderr, isDryRun } = options;
  const counted: CountedIssues = new Map();
  const rules = await withProgress(stderr, async (progress, signal) => {
    const endMs = Date.now() + waitMs;
    for (let failures = 0; ; ) {
      const leftMs = Math.max(0, endMs - Date.now());
      progress.show(`Watching ${printable(options.release)}: ${Math.ceil(leftMs / 1_000)} s left`);
      let pauseMs = Math.min(POLL_MS, leftMs);
      try {
        const judged = await judgeRelease(reader, options, limits, { nowMs: Date.now(), counted });
        // A rate or a share of the first seconds says little: these wait for the end.
        const isOver = judged.some(
          ({ name, status }) => status === 'broken' || (status === 'fail' && isOfIssues(name)),
        );
        if (isOver || leftMs === 0) return judged;
        failures = 0;
      } catch (error) {
        failures += 1;
        const isFinal = !(error instanceof Fault) || !error.retryable || failures > MAX_FAILURES;
        if (isFinal) return [brokenRule('faultline', messageOf(error))];
        pauseMs = FIRST_RETRY_MS * 2 ** failures;
      }
      await delay(pauseMs, undefined, { signal }).catch(() => signal.throwIfAborted());
    }
  });
  if (rules === undefined) return INTERRUPTED;
  const issues = await describeAll(reader, rules, counted).catch(() => []);
  const code = await writeReports({ gate: 'release', rules, issues }, targets, { env, output: stdout, stderr });
  return isDryRun ? 0 : code;
}

const isOfIssues = (name: string): boolean => name !== 'max-rate' && name !== 'min-crash-free';

function parseSettings(options: GateOptions): GateSettings {
  const number = (option: string, text: string | undefined): number | undefined => {
    if (text === undefined) return undefined;
    if (!NUMBER.test(text)) throw new Fault('GATE_INVALID', `--${option} must be a number`);
    return Number(text);
  };
  for (const query of options.queries) parseQuery(query, 'issues');
  const maxRate = number('max-rate', options.maxRate?.replace(/x$/, ''));
  const minCrashFree = number('min-crash-free', options.minCrashFree);
  const isAlone = maxRate === undefined && minCrashFree === undefined && options.queries.length === 0;
  const maxNew = number('max-new', options.maxNew ?? (isAlone ? '0' : undefined));
  const limits: ReleaseLimits = { maxNew, maxRate, minCrashFree, queries: options.queries };
  return { limits, waitMs: parseDuration(options.for), targets: options.reports.map(parseReportTarget) };
}

async function describeAll(
  reader: FailureReader,
  rules: readonly GateRule[],
  counted: CountedIssues,
): Promise<GateReport['issues']> {
  const failed = new Set(rules.flatMap((rule) => (rule.status === 'fail' ? rule.issues : [])));
  const isNew = new Set(rules.find(({ name }) => name === 'max-new')?.issues);
  const named = [...new Set(rules.flatMap(({ issues }) => issues))];
  const seen = named.map(async (id): Promise<SeenIssue[]> => {
    const issue = counted.get(id);
    if (issue === undefined) return [];
    const latest = (await reader.listEvents(issue.issue_id, { limit: 1 }))?.events[0]?.event_id;
    return [{ issue, latest, events: issue.count, state: isNew.has(id) ? 'new' : 'known', is_failure: failed.has(id) }];
  });
  return await describeIssues(reader, process.cwd(), (await Promise.all(seen)).flat());
}
