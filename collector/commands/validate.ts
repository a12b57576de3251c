import { readConfigSchema } from '../../config/check/config-schema.js';
import { ConfigError, type ConfigProblem, formatProblem } from '../../config/config-error.js';
import { type ExaminedConfig, examineConfig } from '../../config/load-config.js';
import { type ConfigOptions, printComplaints, readSources, type TextSink } from './load-settings.js';

/** What `faultline validate` was called with. */
export interface ValidateOptions extends ConfigOptions {
  /** Whether the machine is looked at too: ports, folders, certificates, tokens, log files. */
  startChecks: boolean;
  stdout: TextSink;
  stderr: TextSink;
}

type Complaints = Pick<ExaminedConfig, 'problems' | 'warnings'>;

/** Checks a configuration without running it: exit code 0, or 1 after listing every problem as `file:line:column: …`. */
export async function runValidate(options: ValidateOptions): Promise<number> {
  const { problems, warnings } = await findComplaints(options);
  printComplaints(options.stderr, problems.map(formatProblem), warnings.map(formatProblem));
  if (problems.length > 0) return 1;
  options.stdout.write('configuration is valid\n');
  return 0;
}

async function findComplaints(options: ValidateOptions): Promise<Complaints> {
  try {
    const examined = examineConfig(await readSources(options));
    return options.startChecks ? await withStartChecks(examined) : examined;
  } catch (error) {
    if (error instanceof ConfigError) return { problems: error.problems, warnings: [] };
    throw error;
  }
}

async function withStartChecks({ settings, problems, warnings, place, arrange }: ExaminedConfig): Promise<Complaints> {
  // Values that do not fit the schema say nothing of the machine.
  if (settings === undefined) return { problems, warnings };
  const { startNeedsOf } = await import('../validate/start-needs.js');
  const { checkStart } = await import('../validate/check-start.js');
  const found = await checkStart(startNeedsOf(settings, readConfigSchema()), Date.now());
  const known = new Set(problems.map(keyOf));
  // What the configuration itself got wrong is not reported a second time by what it leads to.
  const added = place(found.faults).filter((problem) => !known.has(keyOf(problem)));
  return { problems: arrange([...problems, ...added]), warnings: [...warnings, ...place(found.warnings)] };
}

function keyOf({ key }: ConfigProblem): string {
  return key;
}
