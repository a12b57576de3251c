import { readFileSync } from 'node:fs';

/** One configuration text and the name under which problems in it are reported. */
export interface ConfigFile {
  name: string;
  text: string;
}

/** The configuration that `faultline collect` runs on when it is given none: `default.yaml` beside this module, in the source and in the build. */
export function readDefaultConfig(): ConfigFile {
  return { name: 'default.yaml', text: readFileSync(new URL('./default.yaml', import.meta.url), 'utf8') };
}
