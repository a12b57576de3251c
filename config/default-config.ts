import { readFileSync } from 'node:fs';

/** A configuration text and the name to report its problems with. */
export interface ConfigFile {
  name: string;
  text: string;
}

/** Returns `default.yaml`, the configuration of `faultline collect` without `--config`. */
export function loadDefaultConfig(): ConfigFile {
  return { name: 'default.yaml', text: readFileSync(new URL('./default.yaml', import.meta.url), 'utf8') };
}
