import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readPages } from '../../core/contract/read-pages.js';
import type { FailureReader } from '../../core/contract/reader.js';
import { messageOf } from '../../core/event/fault.js';
import type { EventId, IssueId } from '../../core/event/ids.js';
import { plainText } from '../../core/event/text.js';
import { createHttpReader } from '../../core/http-reader/http-reader.js';
import { createSuspectCommits } from '../../core/source-code/suspect-commits.js';
import type { IssueSummary } from '../../generated/reader-answers.js';
import type { ExitStatus } from '../run/child.js';
import { openCollectorProcess } from '../run/collector-process.js';
import type { RunCollector } from '../run/embedded-collector.js';
import { type RunProgramOptions, runProgram } from '../run/run-program.js';
import { type Baseline, readBaseline, updateBaseline, writeBaseline } from './baseline.js';
import { describeIssues } from './describe-issue.js';
import { brokenRule, type GateReport } from './gate-report.js';
import { judgeRun, type KnownBefore, stateOf } from './run-rules.js';
import { checkReportTargets, type ReportTarget, writeReports } from './write-reports.js';

/** What a run is judged by. */
export interface RunGateSettings {
  /** `new`, `regressed` or queries of issues. */
  readonly rules: readonly string[];
  /** File of the known issues; undefined: none. */
  readonly baselineFile: string | undefined;
  /** Whether the run's issues become the known ones. */
  readonly updatesBaseline: boolean;
  readonly reports: readonly ReportTarget[];
  /** Data folder; undefined: a temporary one. */
  readonly directory: string | undefined;
}

const MAX_PAGES = 2_000;
const PAGE = 500;

/** Runs a program with a collector of its own and judges what failed: `gateCode` is 3 for a breach, 70 if Faultline failed, else 0. Throws `PROGRAM_NOT_STARTED`, `BASELINE_INVALID` and `GATE_INVALID`, all before it runs. */
export async function runGated(
  options: Omit<RunProgramOptions, 'collector'>,
  gate: RunGateSettings,
): Promise<{ readonly status: ExitStatus; readonly gateCode: number }> {
  await checkReportTargets(gate.reports);
  const baseline = gate.baselineFile === undefined ? undefined : await readBaseline(gate.baselineFile);
  const problems: string[] = [];
  const onProblem = (text: string): void => {
    problems.push(text);
    options.onProblem(text);
  };
  const { source, env, stderr } = options;
  let collector: RunCollector | undefined;
  let reading: { reader: FailureReader; before: StoredBefore } | undefined;
  const open = async (): Promise<RunCollector> => {
    const isTemporary = gate.directory === undefined;
    const directory = gate.directory ?? (await mkdtemp(join(tmpdir(), 'faultline-run-')));
    collector = await openCollectorProcess({ directory, source, isTemporary });
    const reader = createHttpReader({ url: collector.endpoints.url });
    reading = { reader, before: await readBefore(reader) };
    return { endpoints: collector.endpoints, close: () => Promise.resolve() };
  };
  try {
    const choice = { url: undefined, directory: undefined, token: undefined, defaultDirectory: '' };
    const status = await runProgram({ ...options, onProblem, collector: { ...choice, open } });
    const hasFailed = status.kind === 'killed' || status.code !== 0;
    const judged = await judge(reading, gate, { baseline, hasFailed, folder: source.cwd }).catch((error: unknown) => {
      onProblem(messageOf(error));
      return { rules: gate.rules.map((name) => brokenRule(name, messageOf(error))), issues: [] };
    });
    const rules = [
      ...judged.rules,
      ...problems.slice(0, 1).map((problem) => brokenRule('faultline', plainText(problem))),
    ];
    const report = { gate: 'run', rules, issues: judged.issues } as const;
    return { status, gateCode: await writeReports(report, gate.reports, { env, output: stderr, stderr }) };
  } finally {
    await reading?.reader.close();
    await collector?.close();
  }
}

interface StoredBefore {
  readonly latest: EventId | undefined;
  readonly issues: KnownBefore['stored'];
}

async function readBefore(reader: FailureReader): Promise<StoredBefore> {
  const { events } = await reader.searchEvents({ limit: 1 });
  const issues = new Map<string, boolean>();
  for await (const page of readPages((cursor) => reader.listIssues({ limit: PAGE, cursor })))
    for (const { issue_id, regressed } of page.issues) issues.set(issue_id, regressed);
  return { latest: events[0]?.event_id, issues };
}

async function judge(
  reading: { readonly reader: FailureReader; readonly before: StoredBefore } | undefined,
  { rules: wanted, baselineFile, updatesBaseline }: RunGateSettings,
  { baseline, hasFailed, folder }: { baseline: Baseline | undefined; hasFailed: boolean; folder: string },
): Promise<Pick<GateReport, 'rules' | 'issues'>> {
  if (reading === undefined) throw new Error('nothing was collected');
  const { reader, before } = reading;
  const issues = await issuesOfRun(reader, before.latest);
  const keys = issues.map(({ issue }) => issue);
  const newBaseline = updatesBaseline ? updateBaseline(baseline, keys) : baseline;
  if (updatesBaseline && baselineFile !== undefined && newBaseline !== undefined)
    await writeBaseline(baselineFile, newBaseline);
  const stored = before.issues;
  const states = new Map(
    keys.map((issue) => [issue.issue_id, stateOf(issue, { baseline: newBaseline, stored })] as const),
  );
  const missing = `no baseline${baselineFile === undefined ? ': name one with --baseline' : ` at ${baselineFile}`}`;
  const isUnknown = newBaseline === undefined && stored.size === 0;
  const noBaseline = isUnknown ? `${missing}; --update-baseline writes it` : undefined;
  const rules = await judgeRun(wanted, states, reader, noBaseline);
  const failed = new Set(rules.flatMap((rule) => (rule.status === 'fail' ? rule.issues : [])));
  const seen = issues.map(({ issue, ...rest }) => {
    const state = states.get(issue.issue_id) ?? null;
    const is_failure = failed.has(issue.issue_id) || ((hasFailed || rules.length === 0) && state !== 'known');
    return { issue, ...rest, state, is_failure };
  });
  const withSuspects = createSuspectCommits({ repositories: [{ path: folder }] });
  return { rules, issues: await describeIssues(withSuspects(reader), folder, seen) };
}

/** The issues with events after an event, the most recent first, with the number and the latest of these events. */
async function issuesOfRun(
  reader: FailureReader,
  after: EventId | undefined,
): Promise<{ issue: IssueSummary; events: number; latest: EventId }[]> {
  const issuesSeen = new Map<IssueId, { events: number; latest: EventId }>();
  let pages = 0;
  for await (const { events } of readPages((cursor) => reader.searchEvents({ limit: PAGE, cursor }))) {
    // Event ids are in the order of arrival.
    const newEvents = events.filter(({ event_id }) => after === undefined || event_id > after);
    for (const { issue_id, event_id } of newEvents) {
      const seen = issuesSeen.get(issue_id);
      issuesSeen.set(issue_id, { events: (seen?.events ?? 0) + 1, latest: seen?.latest ?? event_id });
    }
    pages += 1;
    if (newEvents.length < events.length) break;
    if (pages === MAX_PAGES) throw new Error('more than 1,000,000 events in one run');
  }
  const issues: { issue: IssueSummary; events: number; latest: EventId }[] = [];
  for (const [id, seen] of issuesSeen) {
    const issue = await reader.getIssue(id);
    if (issue !== undefined) issues.push({ issue, ...seen });
  }
  return issues;
}
