import { type SchemaNode, schemaOfItem, schemaOfKey } from '../../config/check/config-schema.js';
import { parseComponentId } from '../../config/values/component-id.js';
import { type Endpoint, parseEndpoint } from '../../config/values/endpoint.js';
import type { KeyPath } from '../../config/yaml/config-node.js';
import type { Settings } from '../../generated/settings.js';

/** A resource of the machine that a configuration needs to start; `path` is the setting. */
export type StartNeed = { readonly path: KeyPath } & (
  | { readonly kind: 'port'; readonly endpoint: Endpoint }
  /** A folder of a store, which has a writer lock. */
  | { readonly kind: 'data_folder'; readonly directory: string }
  | { readonly kind: 'folder'; readonly directory: string }
  | { readonly kind: 'certificates'; readonly file: string }
  /** `certFile` is the certificate of the key; absent if none is configured. */
  | { readonly kind: 'private_key'; readonly file: string; readonly certFile?: string }
  | { readonly kind: 'tokens'; readonly file: string }
  /** A pattern for files; if it matches none, that is only a warning. */
  | { readonly kind: 'files'; readonly pattern: string; readonly exclude: readonly string[] }
);

interface SettingAt {
  readonly path: KeyPath;
  readonly value: unknown;
  readonly schema: SchemaNode;
  /** The map that contains it; empty for an item of a list. */
  readonly siblings: Readonly<Record<string, unknown>>;
}

type NeedOf = (text: string, setting: SettingAt) => StartNeed | undefined;

const CERTIFICATES: NeedOf = (file, { path }) => ({ path, kind: 'certificates', file });

/** By the last key of a setting. */
const NEEDS_BY_KEY: ReadonlyMap<string, NeedOf> = new Map<string, NeedOf>([
  ['cert_file', CERTIFICATES],
  ['ca_file', CERTIFICATES],
  ['client_ca_file', CERTIFICATES],
  [
    'key_file',
    (file, { path, siblings }) => {
      const certFile = siblings['cert_file'];
      return { path, kind: 'private_key', file, ...(typeof certFile === 'string' && { certFile }) };
    },
  ],
  ['filename', (file, { path }) => ({ path, kind: 'tokens', file })],
  [
    'directory',
    (directory, { path }) => ({ path, kind: path[0] === 'exporters' ? 'data_folder' : 'folder', directory }),
  ],
]);

/** All that the running components need; a shared endpoint is listed once, for its first setting. */
export function startNeedsOf(settings: Settings, schema: SchemaNode): StartNeed[] {
  const { pipelines, extensions, telemetry } = settings.service;
  const idsIn = (section: 'receivers' | 'exporters') =>
    Object.values(pipelines).flatMap((pipeline) => pipeline[section]);
  const running: Readonly<Record<string, ReadonlySet<string>>> = {
    receivers: new Set(idsIn('receivers')),
    exporters: new Set(idsIn('exporters')),
    extensions: new Set(extensions),
  };
  const needs = [...settingsUnder(settings, schema, schema)].flatMap((setting) => {
    const [section, id] = setting.path;
    const ids = running[String(section)];
    const isRunning = ids?.has(String(id)) ?? (section === 'service' && telemetry.metrics.level !== 'none');
    return isRunning ? needsOf(setting) : [];
  });
  return withoutRepeats(needs);
}

function needsOf(setting: SettingAt): StartNeed[] {
  const { path, value, schema, siblings } = setting;
  const key = path.at(-1);
  if (key === 'include' && Array.isArray(value) && isFileLog(path)) {
    const exclude = textsOf(siblings['exclude']);
    return textsOf(value).map((pattern, index) => ({ path: [...path, index], kind: 'files', pattern, exclude }));
  }
  if (typeof value !== 'string') return [];
  if (schema.format === 'host-port') return [{ path, kind: 'port', endpoint: parseEndpoint(value) }];
  const need = NEEDS_BY_KEY.get(String(key))?.(value, setting);
  return need === undefined ? [] : [need];
}

function isFileLog([section, id]: KeyPath): boolean {
  return section === 'receivers' && parseComponentId(String(id)).type === 'file_log';
}

function textsOf(value: unknown): string[] {
  return Array.isArray(value) ? value.filter((item) => typeof item === 'string') : [];
}

function withoutRepeats(needs: readonly StartNeed[]): StartNeed[] {
  const seen = new Set<string>();
  return needs.filter(({ path: _, ...need }) => {
    const text = JSON.stringify(need);
    // Each port 0 becomes a different port.
    const isNew = !seen.has(text) && !(need.kind === 'port' && need.endpoint.port === 0);
    seen.add(text);
    return isNew;
  });
}

/** Every value below `value` that has a schema, including maps and lists. `root` has the definitions. */
function* settingsUnder(
  value: unknown,
  schema: SchemaNode,
  root: SchemaNode,
  path: KeyPath = [],
): Generator<SettingAt> {
  if (Array.isArray(value)) {
    const item = schemaOfItem(root, schema);
    if (item === undefined) return;
    for (const [index, one] of value.entries()) {
      yield { path: [...path, index], value: one, schema: item, siblings: {} };
      yield* settingsUnder(one, item, root, [...path, index]);
    }
  } else if (typeof value === 'object' && value !== null) {
    const siblings = { ...value };
    for (const [key, one] of Object.entries(siblings)) {
      const below = schemaOfKey(root, schema, key);
      if (below === undefined) continue;
      yield { path: [...path, key], value: one, schema: below, siblings };
      yield* settingsUnder(one, below, root, [...path, key]);
    }
  }
}
