import { appendFile, writeFile } from 'node:fs/promises';
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
  const report: GateReport = { ...judged, outcome: outcomeOf(judged.gate, judged.rules) };
  let isWritten = true;
  const guarded = async (work: Promise<void>): Promise<void> => {
    await work.catch((error: unknown) => {
      isWritten = false;
      sinks.stderr.write(`faultline: a report could not be written: ${messageOf(error)}\n`);
    });
  };
  sinks.stderr.write(plainReport(report));
  for (const { format, file } of targets) {
    const text = FORMATS[format](report);
    if (file === undefined) sinks.output.write(text);
    else await guarded(writeFile(file, text));
    const summary = format === 'github' ? sinks.env['GITHUB_STEP_SUMMARY'] : undefined;
    if (summary) await guarded(appendFile(summary, markdownReport(report)));
  }
  return EXIT_CODES[report.outcome] || (isWritten ? 0 : EXIT_CODES.broken);
}

/** A breach wins over a broken rule, and both over missing data. */
function outcomeOf(gate: GateReport['gate'], rules: readonly GateRule[]): GateReport['outcome'] {
  const has = (status: GateRule['status']): boolean => rules.some((rule) => rule.status === status);
  if (has('fail')) return 'breached';
  if (has('broken')) return 'broken';
  if (!has('no_data')) return 'passed';
  return gate === 'run' ? 'no_baseline' : 'no_data';
}
