import { stringify } from 'yaml';
import { maskSecrets } from '../../config/check/mask-secrets.js';
import type { CommandOutput } from './command-line.js';
import { type ConfigOptions, loadSettings, printProblems } from './load-settings.js';

/** Options of `faultline print-config`. */
export interface PrintConfigOptions extends ConfigOptions, CommandOutput {
  /** YAML can be loaded again; JSON has the effective values, without escaped `$`. */
  format: 'yaml' | 'json';
  unredacted: boolean;
}

/** Prints the effective configuration. Exit code 0, or 1 after printing every problem of an invalid configuration. */
export async function runPrintConfig(options: PrintConfigOptions): Promise<number> {
  const { format, unredacted, stdout, stderr } = options;
  const loaded = await loadSettings(options, stderr);
  if (loaded === undefined) return 1;
  printProblems(stderr, [], loaded.warnings);
  const settings = unredacted ? loaded.settings : maskSecrets(loaded.settings, loaded.schema);
  stdout.write(format === 'json' ? `${JSON.stringify(settings, undefined, 2)}\n` : loadableYaml(settings));
  return 0;
}

/** Doubles dollar signs, because a single one begins a reference. */
function loadableYaml(settings: unknown): string {
  const escaped: unknown = JSON.parse(JSON.stringify(settings), (_, value: unknown) =>
    typeof value === 'string' ? value.replaceAll('$', '$$$$') : value,
  );
  return stringify(escaped, { lineWidth: 0, aliasDuplicateObjects: false });
}
