import { appendFile, stat, writeFile } from 'node:fs/promises';
import { noticeLine, printable } from '../../config/values/printable.js';
import { Fault, messageOf } from '../../core/event/fault.js';
import type { GateReport, GateRule } from './gate-report.js';
import { githubReport, jsonReport, junitReport, markdownReport, plainReport, sarifReport } from './report-texts.js';

const FORMATS = {
  github: githubReport,
  junit: junitReport,
  sarif: sarifReport,
  json: jsonReport,
  markdown: markdownReport,
} as const;

/** Missing data is told and does not fail. */
const EXIT_CODES = { passed: 0, breached: 3, no_baseline: 0, no_data: 0, broken: 70 } as const;

/** A report that was asked for. */
export interface ReportTarget {
  readonly format: keyof typeof FORMATS;
  /** Default: a stream. */
  readonly file: string | undefined;
}

/** Parses `FORMAT` or `FORMAT=FILE`. Throws `GATE_INVALID`. */
export function parseReportTarget(text: string): ReportTarget {
  const at = text.indexOf('=');
  const name = at === -1 ? text : text.slice(0, at);
  const file = at === -1 ? undefined : text.slice(at + 1);
  if (!Object.hasOwn(FORMATS, name) || file === '')
    throw new Fault('GATE_INVALID', `--report must be ${Object.keys(FORMATS).join(', ')}, or one of them with =FILE`);
  return { format: name as ReportTarget['format'], file };
}

/** Throws `GATE_INVALID` if a report cannot go to its file: call it before the work that is reported. */
export async function checkReportTargets(targets: readonly ReportTarget[]): Promise<void> {
  for (const { format, file } of targets) {
    const problem = file === undefined ? undefined : await problemOfFile(file);
    if (problem !== undefined) throw new Fault('GATE_INVALID', `--report ${format}=${file}: that ${problem}`);
  }
}

/** Why nothing can be written to a path: it is a folder, or a pipe, which may have no reader; undefined if it is a file, a terminal or missing. */
async function problemOfFile(path: string): Promise<string | undefined> {
  const stats = await stat(path).catch(() => undefined);
  if (stats?.isDirectory() === true) return 'is a folder';
  const isWritable = stats === undefined || stats.isFile() || stats.isCharacterDevice();
  return isWritable ? undefined : 'is not a file';
}

/** Where reports go. */
interface ReportSinks {
  readonly env: Readonly<Record<string, string | undefined>>;
  /** For reports without a file. */
  readonly output: { write(text: string): unknown };
  readonly stderr: { write(text: string): unknown };
}

/** Writes the reports, one for people to standard error, and with `github` the summary of the step. Returns the exit code: 70 also if a report of a gate without a breach could not be written. */
export async function writeReports(
  judged: Omit<GateReport, 'outcome'>,
  targets: readonly ReportTarget[],
  sinks: ReportSinks,
): Promise<number> {
  const report = withPrintableTexts({ ...judged, outcome: outcomeOf(judged.gate, judged.rules) });
  let isWritten = true;
  const guarded = async (work: Promise<void>): Promise<void> => {
    await work.catch((error: unknown) => {
      isWritten = false;
      sinks.stderr.write(noticeLine(`a report could not be written: ${messageOf(error)}`));
    });
  };
  sinks.stderr.write(plainReport(report));
  for (const { format, file } of targets) {
    const text = FORMATS[format](report);
    if (file === undefined) sinks.output.write(text);
    else await guarded(writeFile(file, text));
    const summary = format === 'github' ? sinks.env['GITHUB_STEP_SUMMARY'] : undefined;
    if (summary) await guarded(appendSummary(summary, markdownReport(report)));
  }
  return EXIT_CODES[report.outcome] || (isWritten ? 0 : EXIT_CODES.broken);
}

async function appendSummary(file: string, text: string): Promise<void> {
  const problem = await problemOfFile(file);
  if (problem !== undefined) throw new Error(`GITHUB_STEP_SUMMARY ${problem}`);
  await appendFile(file, text);
}

/** The report with every text printable: names and messages come from events, files and git. */
function withPrintableTexts(report: GateReport): GateReport {
  return JSON.parse(JSON.stringify(report), (_, value) => (typeof value === 'string' ? printable(value) : value));
}

/** A breach wins over a broken rule, and both over missing data. */
function outcomeOf(gate: GateReport['gate'], rules: readonly GateRule[]): GateReport['outcome'] {
  const has = (status: GateRule['status']): boolean => rules.some((rule) => rule.status === status);
  if (has('fail')) return 'breached';
  if (has('broken')) return 'broken';
  if (!has('no_data')) return 'passed';
  return gate === 'run' ? 'no_baseline' : 'no_data';
}
