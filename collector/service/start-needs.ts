import type { SchemaNode } from '../../config/check/config-schema.js';
import { type SettingAt, settingsUnder } from '../../config/check/settings-walk.js';
import { parseComponentId } from '../../config/values/component-id.js';
import { type Endpoint, parseEndpoint } from '../../config/values/endpoint.js';
import type { KeyPath } from '../../config/yaml/key-path.js';
import type { Settings } from '../../generated/settings.js';

/** Something that must hold on the machine before a configuration can be started. */
export type StartNeed = { readonly path: KeyPath } & (
  | { readonly kind: 'port'; readonly endpoint: Endpoint }
  /** A folder of a store: `LOCK` in it says who writes. */
  | { readonly kind: 'data_folder'; readonly directory: string }
  | { readonly kind: 'folder'; readonly directory: string }
  | { readonly kind: 'certificates'; readonly file: string }
  /** `certFile` is the certificate that the key belongs to; absent: none is named. */
  | { readonly kind: 'private_key'; readonly file: string; readonly certFile?: string }
  | { readonly kind: 'tokens'; readonly file: string }
  /** A pattern for files; that there is none now is doubtful, and no error. */
  | { readonly kind: 'files'; readonly pattern: string; readonly exclude: readonly string[] }
);

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

/** All that the components that run need of the machine, each once: an endpoint that several share is listed where it stands first. */
export function startNeedsOf(settings: Settings, schema: SchemaNode): StartNeed[] {
  const { pipelines, extensions } = settings.service;
  const of = (section: 'receivers' | 'exporters') => Object.values(pipelines).flatMap((pipeline) => pipeline[section]);
  const running: Readonly<Record<string, ReadonlySet<string>>> = {
    receivers: new Set(of('receivers')),
    exporters: new Set(of('exporters')),
    extensions: new Set(extensions),
  };
  const needs = [...settingsUnder(settings, schema, schema)].flatMap((setting) => {
    const [section, id] = setting.path;
    const ids = running[String(section)];
    const isRunning = ids === undefined ? isServed(settings, setting) : ids.has(String(id));
    return isRunning ? needsOf(setting) : [];
  });
  return withoutRepeats(needs);
}

/** Whether a setting outside the components is in use: the metrics are, unless they are off. */
function isServed({ service }: Settings, { path }: SettingAt): boolean {
  return path[0] === 'service' && service.telemetry.metrics.level !== 'none';
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
    // Any free port is another one for each.
    const isNew = !seen.has(text) && !(need.kind === 'port' && need.endpoint.port === 0);
    seen.add(text);
    return isNew;
  });
}
