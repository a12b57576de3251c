import { noticeLine, printableJson } from '../../config/values/printable.js';
import { plainText } from '../../core/event/text.js';
import type { GateIssue, GateReport, GateRule } from './gate-report.js';

// `writeReports` gives reports whose texts are printable; what each format reads as its own syntax is escaped here.

const MAX_LISTED = 50;
/** GitHub shows ten annotations of a kind for each step. */
const MAX_ANNOTATIONS = 10;

const OUTCOMES: Readonly<Record<GateReport['outcome'], string>> = {
  passed: 'passed',
  breached: 'breached',
  no_baseline: 'no baseline: nothing to compare with, so nothing was judged new or regressed',
  no_data: 'no data: at least one rule had nothing to judge',
  broken: 'broken: Faultline could not judge',
};

const isFailure = ({ is_failure }: GateIssue): boolean => is_failure;
const counted = (count: number, noun: string): string => `${count} ${noun}${count === 1 ? '' : 's'}`;
const placeOf = ({ location }: GateIssue): string => (location === null ? '' : `${location.file}:${location.line}`);
/** The suspect commit with author and date, without what could end a line. */
const suspectOf = ({ suspect_commit: commit }: GateIssue): string => {
  if (commit === null) return '';
  const facts = [commit.author_name, commit.timestamp?.slice(0, 10)].filter((fact) => fact != null && fact !== '');
  return plainText(`${commit.id.slice(0, 12)} ${commit.message} (${facts.join(', ')})`);
};
const outcomeText = ({ outcome }: GateReport): string => OUTCOMES[outcome];

function ruleText({ status, observed, threshold, reason }: GateRule): string {
  const numbers = observed === null ? [] : [threshold === null ? `${observed}` : `${observed}, limit ${threshold}`];
  const detail = [...numbers, ...(reason === null ? [] : [reason])].join('; ');
  return detail === '' ? status : `${status} (${detail})`;
}

/** The report for people, one line for each rule and failure. */
export function plainReport(report: GateReport): string {
  const failures = report.issues.filter(isFailure);
  const lines = [
    `gate ${outcomeText(report)}`,
    ...report.rules.map((rule) => `  ${rule.name}: ${ruleText(rule)}`),
    ...failures
      .slice(0, MAX_LISTED)
      .map(
        (issue) =>
          `  ${[issue.state ?? 'failure', issue.title, placeOf(issue)].filter((text) => text !== '').join('  ')}`,
      ),
    ...(failures.length > MAX_LISTED ? [`  and ${failures.length - MAX_LISTED} more`] : []),
  ];
  return lines.map(noticeLine).join('');
}

/** The report in Markdown. Text of events stands in code spans, which hold no links, mentions or markup. */
export function markdownReport(report: GateReport): string {
  const code = (text: string): string => `\`${text.replaceAll('`', "'") || ' '}\``;
  const line = (issue: GateIssue): string => {
    const facts = [issue.state, counted(issue.events, 'event'), issue.level].filter((fact) => fact !== null);
    const place = issue.location === null ? '' : ` at ${code(placeOf(issue))}`;
    const suspect = issue.suspect_commit === null ? '' : `; suspect commit ${code(suspectOf(issue))}`;
    return `- ${code(issue.title)}${place} (${facts.join(', ')})${suspect}`;
  };
  const section = (title: string, issues: readonly GateIssue[]): string[] => {
    const rest = issues.length - MAX_LISTED;
    const listed = [...issues.slice(0, MAX_LISTED).map(line), ...(rest > 0 ? [`- and ${rest} more`] : [])];
    return issues.length === 0 ? [] : ['', `### ${title}`, '', ...listed];
  };
  return `${[
    `## Faultline: ${outcomeText(report)}`,
    '',
    ...report.rules.map(
      (rule) => `- ${code(rule.name)}: ${rule.reason === null ? ruleText(rule) : code(ruleText(rule))}`,
    ),
    ...section('Failures', report.issues.filter(isFailure)),
    ...section(
      'Other issues',
      report.issues.filter((issue) => !isFailure(issue)),
    ),
  ].join('\n')}\n`;
}

/** Workflow commands of GitHub: an annotation for each failure, at most 10, and one for a rule without a verdict. */
export function githubReport(report: GateReport): string {
  const data = (text: string): string => text.replaceAll('%', '%25').replaceAll('\r', '%0D').replaceAll('\n', '%0A');
  const property = (text: string): string => data(text).replaceAll(':', '%3A').replaceAll(',', '%2C');
  const command = (kind: string, properties: Readonly<Record<string, string>>, text: string): string =>
    `::${kind} ${Object.entries(properties)
      .map(([name, value]) => `${name}=${property(value)}`)
      .join(',')}::${data(text)}\n`;
  const failures = report.issues.filter(isFailure);
  const named = new Set(failures.map((issue) => issue.issue_id));
  const annotations = failures.slice(0, MAX_ANNOTATIONS).map((issue) => {
    const place = issue.location === null ? {} : { file: issue.location.file, line: String(issue.location.line) };
    const state = issue.state === null ? 'Failure' : `${issue.state} issue`;
    const suspect = issue.suspect_commit === null ? '' : `\nSuspect commit: ${suspectOf(issue)}`;
    return command('error', { ...place, title: state }, `${issue.title} (${counted(issue.events, 'event')})${suspect}`);
  });
  const rest = failures.length - annotations.length;
  const rules = report.rules
    .filter(({ status, issues }) => status !== 'pass' && !issues.some((id) => named.has(id)))
    .map((rule) =>
      command(rule.status === 'no_data' ? 'warning' : 'error', { title: `Faultline ${rule.name}` }, ruleText(rule)),
    );
  const more = rest > 0 ? [command('notice', { title: 'Faultline' }, `${rest} more failures`)] : [];
  return [...annotations, ...more, ...rules].join('');
}

/** The report as one JSON object with each rule by name. */
export function jsonReport({ gate, outcome, rules, issues }: GateReport): string {
  const byName = Object.fromEntries(rules.map(({ name, ...rule }) => [name, rule]));
  return `${printableJson(JSON.stringify({ gate, outcome, rules: byName, issues }, null, 2))}\n`;
}

/** Characters that XML 1.0 cannot hold, even escaped. */
const NOT_XML = /[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\u{10000}-\u{10ffff}]/gu;
const XML: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&apos;' };

/** The report as JUnit XML: a test case for each rule and each issue. */
export function junitReport({ rules, issues }: GateReport): string {
  const text = (value: string): string =>
    value.replace(NOT_XML, '').replace(/[&<>"']/g, (character) => XML[character] ?? '');
  const RESULTS = { pass: '', fail: 'failure', broken: 'error', no_data: 'skipped' } as const;
  const ruleCases = rules.map((rule) => {
    const result = RESULTS[rule.status];
    const inner = result === '' ? '' : `<${result} message="${text(ruleText(rule))}"/>`;
    return { result, xml: `<testcase classname="faultline.rules" name="${text(rule.name)}">${inner}</testcase>` };
  });
  const issueCases = issues.map((issue) => {
    const { location, title, app, service } = issue;
    const place = location === null ? '' : ` file="${text(location.file)}" line="${location.line}"`;
    const body = `${counted(issue.events, 'event')}${location === null ? '' : `\nat ${placeOf(issue)}`}`;
    const type = issue.state ?? 'failure';
    const inner = issue.is_failure ? `<failure message="${text(title)}" type="${type}">${text(body)}</failure>` : '';
    const name = `classname="${text(`${app}.${service}`)}" name="${text(title)}"${place}`;
    return { result: issue.is_failure ? 'failure' : '', xml: `<testcase ${name}>${inner}</testcase>` };
  });
  const cases = [...ruleCases, ...issueCases];
  const count = (kind: string): number => cases.filter(({ result }) => result === kind).length;
  const totals = `tests="${cases.length}" failures="${count('failure')}" errors="${count('error')}"`;
  return `${[
    '<?xml version="1.0" encoding="UTF-8"?>',
    `<testsuites name="faultline" ${totals}>`,
    `<testsuite name="faultline" ${totals} skipped="${count('skipped')}">`,
    ...cases.map(({ xml }) => xml),
    '</testsuite>',
    '</testsuites>',
  ].join('\n')}\n`;
}

/** The report as SARIF 2.1.0: a result for each issue, whose rule is its fingerprint. */
export function sarifReport({ outcome, rules, issues }: GateReport): string {
  const known = new Map(issues.map(({ fingerprint, title }) => [fingerprint, title]));
  const descriptors = [...known].map(([id, title]) => ({ id, shortDescription: { text: title || id } }));
  const results = issues.map((issue) => ({
    ruleId: issue.fingerprint,
    ruleIndex: [...known.keys()].indexOf(issue.fingerprint),
    level: issue.is_failure ? 'error' : 'note',
    message: { text: issue.title || issue.fingerprint },
    ...(issue.location !== null && {
      locations: [
        {
          physicalLocation: {
            artifactLocation: {
              uri: encodeURI(issue.location.file).replace(/[?#]/g, encodeURIComponent),
              uriBaseId: '%SRCROOT%',
            },
            region: { startLine: issue.location.line },
          },
        },
      ],
    }),
    partialFingerprints: { 'faultlineIssue/v1': issue.issue_id },
    ...(issue.state !== null && { baselineState: issue.state === 'known' ? 'unchanged' : 'new' }),
    occurrenceCount: Math.max(1, issue.events),
  }));
  const broken = rules.filter(({ status }) => status === 'broken' || status === 'no_data');
  const run = {
    tool: { driver: { name: 'Faultline', rules: descriptors } },
    invocations: [
      {
        executionSuccessful: outcome !== 'broken',
        toolExecutionNotifications: broken.map((rule) => ({
          level: rule.status === 'broken' ? 'error' : 'warning',
          message: { text: `${rule.name}: ${ruleText(rule)}` },
        })),
      },
    ],
    results,
  };
  const schema = 'https://json.schemastore.org/sarif-2.1.0.json';
  return `${printableJson(JSON.stringify({ $schema: schema, version: '2.1.0', runs: [run] }, null, 2))}\n`;
}
