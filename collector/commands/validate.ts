import { type ConfigOptions, loadSettings, type TextSink } from './load-settings.js';

/** What `faultline validate` was called with. */
export interface ValidateOptions extends ConfigOptions {
  stdout: TextSink;
  stderr: TextSink;
}

/** Checks a configuration without running it: exit code 0, or 1 after listing every problem as `file:line:column: …`. */
export async function runValidate(options: ValidateOptions): Promise<number> {
  const loaded = await loadSettings(options, options.stderr);
  if (loaded === undefined) return 1;
  for (const warning of loaded.warnings) options.stderr.write(`warning: ${warning}\n`);
  options.stdout.write('configuration is valid\n');
  return 0;
}
