import { readFileSync } from 'node:fs';
import { parseAllDocuments } from 'yaml';
import { checkSettings } from '../../../collector/service/check-settings.js';
import { ConfigError } from '../../../config/config-error.js';
import { loadConfig } from '../../../config/load-config.js';
import type { Settings } from '../../../generated/settings.js';

const DEPLOY = new URL('../../../collector/deploy/', import.meta.url);

/** Variables that the configurations name. */
export const DEPLOY_ENV: Readonly<Record<string, string>> = {
  FAULTLINE_INGEST_TOKEN: 'ingest-token-for-tests',
  FAULTLINE_READ_TOKEN: 'read-token-for-tests',
  FAULTLINE_ACTIONS_TOKEN: 'actions-token-for-tests',
  FAULTLINE_SENTRY_KEY: 'faultline',
  FAULTLINE_NATS_TOKEN: 'nats-token-for-tests',
  POD_IP: '10.1.2.3',
  POD_NAME: 'faultline-gateway-0',
  SERVICE_HOST: 'faultline',
  NAMESPACE: 'shop',
};

/** Reads a file of the deploy folder. */
export function readDeployFile(path: string): string {
  return readFileSync(new URL(path, DEPLOY), 'utf8');
}

/** Parses every document of a YAML file. */
export function readDocuments(path: string): unknown[] {
  return parseAllDocuments(readDeployFile(path), { merge: true }).map((document) => {
    if (document.errors.length > 0) throw document.errors[0];
    return document.toJS();
  });
}

/** Loads a configuration as the collector does; returns its settings, and its problems and warnings. */
export function loadDeployed(text: string, env = DEPLOY_ENV): { settings?: Settings; complaints: string[] } {
  try {
    const { settings, warnings } = loadConfig({
      files: [{ name: 'faultline.yaml', text }],
      sets: [],
      env,
      check: checkSettings,
    });
    return { settings, complaints: warnings };
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    return { complaints: [error.message] };
  }
}

/** The value at a path of keys and indexes; undefined if it does not exist. */
export function at(value: unknown, ...path: (string | number)[]): unknown {
  return path.reduce<unknown>((inside, key) => {
    if (typeof inside !== 'object' || inside === null || !Object.hasOwn(inside, key)) return undefined;
    return Object.entries(inside).find(([name]) => name === String(key))?.[1];
  }, value);
}
