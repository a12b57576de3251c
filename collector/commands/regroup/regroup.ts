import { printable, quoted } from '../../../config/values/printable.js';
import { headingLines, labelledLines } from '../../../core/explain/explained-line.js';
import { GROUPING_VERSIONS } from '../../../core/fingerprint/grouping-settings.js';
import type { ReplayProgress } from '../../../core/storage/index/replay-into-index.js';
import type {
  GroupingChoice,
  Regrouping,
  RegroupOptions,
  RegroupOutcome,
} from '../../../core/storage/regroup/regrouping.js';
import type { RegroupResult } from '../../../generated/reader-answers.js';
import type { TextSink } from '../command-line.js';
import { type ConfigOptions, loadSettings } from '../load-settings.js';
import { INTERRUPTED, type ProgressStream, progressBar, withProgress } from '../long-work.js';
import { counted, paintLines } from '../paint-lines.js';
import type { RegroupObserver } from './folder-regrouping.js';
import { describeRules, previewLines } from './regroup-report.js';

/** Options of `faultline regroup`. */
export interface RegroupCommandOptions extends ConfigOptions {
  preview: boolean;
  apply: boolean;
  rollback: boolean;
  /** Version of the built-in rules; default the newest. */
  groupingVersion?: number | undefined;
  /** Print the result as one JSON document. */
  json: boolean;
  /** Opens the collector or the folder; called after the options were checked. */
  open: (observer: RegroupObserver) => Promise<Regrouping>;
  stdout: TextSink & { readonly isTTY?: boolean | undefined };
  stderr: ProgressStream;
}

const DONE = 0;
const FAILED = 1;
const USAGE = 2;

type Action = 'preview' | 'apply' | 'rollback';

/** Previews, applies or rolls back a regrouping. Exit code 0 done, 1 invalid configuration, 2 wrong usage, 130 interrupted. */
export async function runRegroup(options: RegroupCommandOptions): Promise<number> {
  const { stderr } = options;
  const [action, ...others] = (['preview', 'apply', 'rollback'] as const).filter((name) => options[name]);
  if (action === undefined || others.length > 0) {
    stderr.write('Choose --preview, --apply or --rollback.\n');
    return USAGE;
  }
  const mistake = wrongOption(options, action);
  if (mistake !== undefined) {
    stderr.write(`${mistake}\n`);
    return USAGE;
  }
  const choice = await loadChoice(options);
  if (choice === undefined) return FAILED;
  const label = { preview: 'previewing', apply: 'regrouping', rollback: 'rolling back' }[action];
  return await withRegrouping(options, label, (regrouping, how) =>
    ACTIONS[action](regrouping, { ...options, choice }, how),
  );
}

/** Opens a collector or a folder and runs work on it with a progress line, until it is interrupted. Prints the text that the work returns. */
export async function withRegrouping(
  { open, stdout, stderr }: Pick<RegroupCommandOptions, 'open' | 'stdout' | 'stderr'>,
  label: string,
  work: (regrouping: Regrouping, options: RegroupOptions) => Promise<string>,
): Promise<number> {
  const text = await withProgress(stderr, async (progress, signal) => {
    const show = (step: string) => (at: ReplayProgress) =>
      progress.show(`${step} ${progressBar(at.doneEvents, at.totalEvents)}`);
    const onFault = (fault: Error): void => {
      progress.clear();
      stderr.write(`${printable(fault.message)}\n`);
    };
    const regrouping = await open({ onOpening: show('bringing the index up to date'), onFault });
    return await work(regrouping, { onProgress: show(label), signal }).finally(() => regrouping.close());
  });
  if (text === undefined) {
    stderr.write('cancelled; nothing was changed\n');
    return INTERRUPTED;
  }
  stdout.write(text);
  return DONE;
}

interface Task extends RegroupCommandOptions {
  choice: GroupingChoice;
}

type RunAction = (regrouping: Regrouping, task: Task, options: RegroupOptions) => Promise<string>;

/** Each performs its action and returns the output. */
const ACTIONS: Readonly<Record<Action, RunAction>> = {
  preview: async (regrouping, task, options) => {
    const { grouping, result } = await regrouping.preview(task.choice, options);
    if (task.json) return jsonText(result);
    const rules = `Grouped by ${describeRules(grouping, rulesSource(task, regrouping))}. Nothing was changed.`;
    return paintLines([...previewLines(result), ...labelledLines('', rules, { at: 0 })], task.stdout, task.env);
  },
  apply: async (regrouping, task, options) => {
    const outcome = await regrouping.apply(task.choice, options);
    if (!outcome.grouping.is_configured) task.stderr.write(configurationHint(regrouping));
    return task.json ? jsonText(outcome.result) : appliedText(outcome, rulesSource(task, regrouping));
  },
  rollback: async (regrouping, { json }, options) => {
    const result = await regrouping.rollBack(options);
    return json ? jsonText(result) : wrapped(`Rolled back: ${totals(result)}`);
  },
};

function wrongOption(options: RegroupCommandOptions, action: Action): string | undefined {
  const { config, set, groupingVersion } = options;
  if (action === 'rollback' && (config.length > 0 || set.length > 0 || groupingVersion !== undefined)) {
    return '--rollback restores the previous grouping: leave --config, --set and --grouping-version out.';
  }
  if (groupingVersion === undefined || GROUPING_VERSIONS.includes(groupingVersion)) return undefined;
  return `--grouping-version must be ${GROUPING_VERSIONS.join(' or ')}`;
}

/** Returns undefined after printing the problems of the configuration. */
async function loadChoice(options: RegroupCommandOptions): Promise<GroupingChoice | undefined> {
  const choice = options.groupingVersion === undefined ? {} : { version: options.groupingVersion };
  if (options.config.length === 0 && options.set.length === 0) return choice;
  const loaded = await loadSettings({ ...options, isPartial: true }, options.stderr);
  if (loaded === undefined) return undefined;
  const { rules, patterns_off } = loaded.settings.grouping;
  return { ...choice, rules, patterns_off };
}

function rulesSource({ config, set }: ConfigOptions, { defaultRulesSource }: Regrouping): string {
  const sources = [...config.map(quoted), ...(set.length > 0 ? ['--set'] : [])];
  return sources.length > 0 ? sources.join(', ') : defaultRulesSource;
}

function appliedText({ grouping, result }: RegroupOutcome<RegroupResult>, source: string): string {
  const summary = `${totals(result)} Grouped by ${describeRules(grouping, source)}.`;
  return wrapped(`Regrouped: ${summary} Undo it with faultline regroup --rollback.`);
}

function totals({ events, issues_before, issues_after }: RegroupResult): string {
  return `${counted(events, 'event')}, ${counted(issues_before, 'issue')} before, ${counted(issues_after, 'issue')} now.`;
}

/** An `apply` changes only the version of the built-in rules for new events. */
function configurationHint({ defaultRulesSource }: Regrouping): string {
  return wrapped(
    `New events are grouped by the rules of ${defaultRulesSource}, not by these. Add these rules to the collector's configuration and restart it, or new events will form separate issues.`,
  );
}

function wrapped(text: string): string {
  return paintLines(headingLines(text), {}, {});
}

/** One JSON document on one line. */
export function jsonText(value: object): string {
  return `${JSON.stringify(value)}\n`;
}
