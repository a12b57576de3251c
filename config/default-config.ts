import { CONFIG_SCHEMA, DEFAULT_CONFIG } from '../generated/config-texts.js';
import type { SchemaNode } from './check/config-schema.js';

/** A configuration text and the name to report its problems with. */
export interface ConfigFile {
  name: string;
  text: string;
}

/** Returns `default.yaml`, the configuration of `faultline collect` without `--config`. */
export function loadDefaultConfig(): ConfigFile {
  return { name: 'default.yaml', text: DEFAULT_CONFIG };
}

/** Returns `schema.json`, the schema of the whole configuration, as a copy that the caller may extend. */
export function loadConfigSchema(): SchemaNode {
  return JSON.parse(CONFIG_SCHEMA);
}
