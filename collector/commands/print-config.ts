import { stringify } from 'yaml';
import { readConfigSchema } from '../../config/check/config-schema.js';
import { maskSecrets } from '../../config/check/mask-secrets.js';
import { type ConfigOptions, loadSettings, printComplaints, type TextSink } from './load-settings.js';

/** What `faultline print-config` was called with. */
export interface PrintConfigOptions extends ConfigOptions {
  /** YAML is a configuration again; JSON holds the values as they count, with `$` as it is. */
  format: 'yaml' | 'json';
  /** Whether secrets are printed too. */
  unredacted: boolean;
  stdout: TextSink;
  stderr: TextSink;
}

/**
 * Prints the configuration that counts: all files merged, references replaced, defaults filled in, secrets masked. Exit code 0, or 1 after listing
 * every problem of a configuration that does not hold.
 */
export async function runPrintConfig(options: PrintConfigOptions): Promise<number> {
  const { format, unredacted, stdout, stderr } = options;
  const loaded = await loadSettings(options, stderr);
  if (loaded === undefined) return 1;
  printComplaints(stderr, [], loaded.warnings);
  const shown = unredacted ? loaded.settings : maskSecrets(loaded.settings, readConfigSchema());
  const text = format === 'json' ? `${JSON.stringify(shown, undefined, 2)}\n` : yamlOf(shown);
  stdout.write(text);
  return 0;
}

/** A configuration again: a dollar sign that is written once would begin a reference. */
function yamlOf(value: unknown): string {
  const escaped: unknown = JSON.parse(JSON.stringify(value), (_, one: unknown) =>
    typeof one === 'string' ? one.replaceAll('$', '$$$$') : one,
  );
  return stringify(escaped, { lineWidth: 0, aliasDuplicateObjects: false });
}
