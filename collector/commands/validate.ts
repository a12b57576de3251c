import { ConfigError, formatProblem } from '../../config/config-error.js';
import { type ExaminedConfig, examineConfig } from '../../config/load-config.js';
import type { TextSink } from './command-line.js';
import { type ConfigOptions, printProblems, readSources } from './load-settings.js';

/** Options of `faultline validate`. */
export interface ValidateOptions extends ConfigOptions {
  /** Whether to check this machine too: ports, folders, certificates, tokens, log files. */
  startChecks: boolean;
  stdout: TextSink;
  stderr: TextSink;
}

type Findings = Pick<ExaminedConfig, 'problems' | 'warnings'>;

/** Checks a configuration without running it. Exit code 0, or 1 after printing every problem as `file:line:column: …`. */
export async function runValidate(options: ValidateOptions): Promise<number> {
  const { problems, warnings } = await examine(options);
  printProblems(options.stderr, problems.map(formatProblem), warnings.map(formatProblem));
  if (problems.length > 0) return 1;
  options.stdout.write('configuration is valid\n');
  return 0;
}

async function examine(options: ValidateOptions): Promise<Findings> {
  try {
    const examined = examineConfig(await readSources(options));
    return options.startChecks ? await addStartChecks(examined) : examined;
  } catch (error) {
    if (error instanceof ConfigError) return { problems: error.problems, warnings: [] };
    throw error;
  }
}

async function addStartChecks({
  schema,
  settings,
  problems,
  warnings,
  locate,
  sort,
}: ExaminedConfig): Promise<Findings> {
  // Values that do not match the schema cannot be checked against the machine.
  if (settings === undefined) return { problems, warnings };
  const { startNeedsOf } = await import('../service/start-needs.js');
  const { checkStart } = await import('../service/check-start.js');
  const found = await checkStart(startNeedsOf(settings, schema), Date.now());
  const reported = new Set(problems.map(({ key }) => key));
  // A problem of the configuration itself is not reported again for its consequence.
  const added = locate(found.faults).filter(({ key }) => !reported.has(key));
  return { problems: sort([...problems, ...added]), warnings: [...warnings, ...locate(found.warnings)] };
}
