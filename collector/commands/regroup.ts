import { printable, quoted } from '../../config/values/printable.js';
import { headingLines, labelledLines } from '../../core/explain/explained-line.js';
import { GROUPING_VERSIONS } from '../../core/fingerprint/grouping-settings.js';
import type {
  GroupingChoice,
  Regrouping,
  RegroupOptions,
  RegroupOutcome,
  RegroupProgress,
} from '../../core/storage/regroup/regrouping.js';
import type { RegroupResult } from '../../generated/reader-answers.js';
import { type ConfigOptions, loadSettings } from './load-settings.js';
import { paintLines } from './paint-lines.js';
import { createProgressLine, type ProgressLine, type ProgressStream, progressBar } from './progress-line.js';
import { counted, groupingWords, previewLines } from './regroup-report.js';
import { INTERRUPTED, untilInterrupted } from './until-interrupted.js';

/** How work on a folder is followed before and while it is done. */
export interface RegroupObserver {
  onOpening: (progress: { readonly doneEvents: number; readonly totalEvents?: number | undefined }) => void;
  onFault: (fault: Error) => void;
}

/** What `faultline regroup` was called with. */
export interface RegroupCommandOptions extends ConfigOptions {
  preview: boolean;
  apply: boolean;
  rollback: boolean;
  /** Of the built-in rules; default the newest. */
  groupingVersion?: number | undefined;
  /** Print what came out of it as one JSON document. */
  json: boolean;
  /** The collector or the folder; opened once it is clear that the call is right. */
  open: (observer: RegroupObserver) => Promise<Regrouping>;
  stdout: { readonly isTTY?: boolean | undefined; write(text: string): unknown };
  stderr: ProgressStream;
}

const DONE = 0;
const FAILED = 1;
const USAGE = 2;

type Action = 'preview' | 'apply' | 'rollback';

/** Groups everything that is stored otherwise, or tells what that would change; answers the exit code: 0 done, 1 the configuration does not hold, 2 called wrongly, 130 interrupted. */
export async function runRegroup(options: RegroupCommandOptions): Promise<number> {
  const { stderr, open } = options;
  const [action, ...others] = (['preview', 'apply', 'rollback'] as const).filter((one) => options[one]);
  const misuse =
    action === undefined || others.length > 0 ? 'Give one of --preview, --apply and --rollback.' : undefined;
  const wrong = misuse ?? wrongOption(options, action);
  if (action === undefined || wrong !== undefined) {
    stderr.write(`${wrong}\n`);
    return USAGE;
  }
  const choice = await choiceOf(options);
  if (choice === undefined) return FAILED;
  const progress = createProgressLine(stderr);
  const regrouping = await open({
    onOpening: ({ doneEvents, totalEvents }) =>
      progress.show(`bringing the index up to date ${progressBar(doneEvents, totalEvents)}`),
    onFault: (fault) => {
      progress.clear();
      stderr.write(`${printable(fault.message)}\n`);
    },
  });
  try {
    return await regroupWith(regrouping, { ...options, action, choice, progress });
  } finally {
    progress.clear();
    await regrouping.close();
  }
}

interface Task extends RegroupCommandOptions {
  action: Action;
  choice: GroupingChoice;
  progress: ProgressLine;
}

async function regroupWith(regrouping: Regrouping, task: Task): Promise<number> {
  const { action, progress, stderr } = task;
  const words = { preview: 'previewing', apply: 'regrouping', rollback: 'rolling back' }[action];
  const onProgress = ({ doneEvents, totalEvents }: RegroupProgress): void =>
    progress.show(`${words} ${progressBar(doneEvents, totalEvents)}`);
  const text = await untilInterrupted((signal) => DO[action](regrouping, task, { onProgress, signal }));
  progress.clear();
  if (text === undefined) {
    stderr.write('called off; everything is as it was\n');
    return INTERRUPTED;
  }
  task.stdout.write(text);
  return DONE;
}

/** Does it and answers what is printed. */
const DO: Readonly<Record<Action, (regrouping: Regrouping, task: Task, options: RegroupOptions) => Promise<string>>> = {
  preview: async (regrouping, task, options) => {
    const { grouping, result } = await regrouping.preview(task.choice, options);
    if (task.json) return jsonText(result);
    const by = `Grouped by ${groupingWords(grouping, rulesFrom(task, regrouping))}. Nothing was changed.`;
    return paintLines([...previewLines(result), ...labelledLines('', by, { at: 0 })], task.stdout, task.env);
  },
  apply: async (regrouping, task, options) => {
    const outcome = await regrouping.apply(task.choice, options);
    if (!outcome.grouping.is_configured) task.stderr.write(toConfigure(regrouping));
    return task.json ? jsonText(outcome.result) : appliedText(outcome, rulesFrom(task, regrouping));
  },
  rollback: async (regrouping, { json }, options) => {
    const result = await regrouping.rollBack(options);
    return json ? jsonText(result) : wrapped(`Rolled back: ${sums(result)}`);
  },
};

function wrongOption(options: RegroupCommandOptions, action: Action | undefined): string | undefined {
  const { config, set, groupingVersion } = options;
  if (action === 'rollback' && (config.length > 0 || set.length > 0 || groupingVersion !== undefined)) {
    return '--rollback goes back to how everything was grouped before: leave --config, --set and --grouping-version out.';
  }
  if (groupingVersion === undefined || GROUPING_VERSIONS.includes(groupingVersion)) return undefined;
  return `--grouping-version must be ${GROUPING_VERSIONS.join(' or ')}`;
}

/** Undefined after printing what is wrong with the configuration. */
async function choiceOf(options: RegroupCommandOptions): Promise<GroupingChoice | undefined> {
  const { groupingVersion: version } = options;
  const chosen = version === undefined ? {} : { version };
  if (options.config.length === 0 && options.set.length === 0) return chosen;
  const loaded = await loadSettings({ ...options, isPartial: true }, options.stderr);
  if (loaded === undefined) return undefined;
  const { rules, patterns_off } = loaded.settings.grouping;
  return { ...chosen, rules, patterns_off };
}

function rulesFrom({ config, set }: ConfigOptions, { defaultRulesSource }: Regrouping): string {
  const given = [...config.map(quoted), ...(set.length > 0 ? ['--set'] : [])];
  return given.length > 0 ? given.join(', ') : defaultRulesSource;
}

function appliedText({ grouping, result }: RegroupOutcome<RegroupResult>, from: string): string {
  const how = `${sums(result)} Grouped by ${groupingWords(grouping, from)}.`;
  return wrapped(`Regrouped: ${how} \`faultline regroup --rollback\` takes this back.`);
}

function sums({ events, issues_before, issues_after }: RegroupResult): string {
  return `${counted(events, 'event')}, ${counted(issues_before, 'issue')} before, ${counted(issues_after, 'issue')} now.`;
}

/** What an `apply` brings about for new events is only their version of the built-in rules. */
function toConfigure({ defaultRulesSource }: Regrouping): string {
  return wrapped(
    `New events do not go by these rules but by those of ${defaultRulesSource}: put these into the collector's configuration and start it again, or the issues come apart.`,
  );
}

function wrapped(text: string): string {
  return paintLines(headingLines(text), {}, {});
}

function jsonText(value: object): string {
  return `${JSON.stringify(value)}\n`;
}
