import { existsSync, readFileSync, statSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { legacy, exports as resolveExports } from 'resolve.exports';
import { COMPONENT_SECTIONS } from '../../config/check/config-schema.js';
import { checkSchema, type NamedPlugin, type PluginSchema } from '../../config/check/plugin-schemas.js';
import type { ConfigProblem } from '../../config/config-error.js';
import { quoted } from '../../config/values/printable.js';
import { messageOf } from '../../core/event/fault.js';
import { isJsonObject } from '../../core/event/json.js';
import { within } from '../../core/within.js';
import type { Context, Factory, Plugin } from '../component/plugin.js';

/** A type of component of a plugin. */
export interface PluginComponent extends PluginSchema {
  /** The plugin as the configuration names it. */
  readonly origin: string;
  /** Undefined if neither the module nor its package has one. */
  readonly version: string | undefined;
  readonly stability: Factory<unknown>['stability'];
  create(settings: unknown, context: Context): unknown;
  readonly file: string;
}

const TYPE = /^[a-zA-Z]\w{0,62}$/;
const STABILITIES: readonly unknown[] = ['stable', 'beta', 'alpha'];
const PACKAGE = /^((?:@[^/\\]+\/)?[^./\\][^/\\]*)(\/.+)?$/;
const LOAD_MS = 10_000;
/** When each file was changed before this process loaded it, which it does once. */
const firstChangeOf = new Map<string, number | undefined>();

/** Loads plugins. A name is a path relative to the folder of the file that names it, else a package installed there or above. */
export async function loadPlugins(
  named: readonly NamedPlugin[],
): Promise<{ readonly components: readonly PluginComponent[]; readonly problems: readonly ConfigProblem[] }> {
  const components: PluginComponent[] = [];
  const problems: ConfigProblem[] = [];
  for (const plugin of named) {
    const { name, at, key } = plugin;
    const report = (message: string) => problems.push({ ...at, key, message: `${quoted(name)} ${message}` });
    try {
      const file = fileOf(plugin);
      if (!firstChangeOf.has(file)) firstChangeOf.set(file, changeOf(file));
      const loaded: unknown = await within(LOAD_MS, import(pathToFileURL(file).href));
      if (loaded === undefined) throw new Error(`it did not end within ${LOAD_MS / 1000} s`);
      await readModule(loaded, { origin: name, file }, components, report);
    } catch (error) {
      report(`cannot be loaded: ${messageOf(error)}`);
    }
  }
  return { components, problems };
}

/** Returns the plugins whose files changed since they were loaded: a process keeps the modules that it has. */
export function changedPlugins(components: readonly PluginComponent[]): string[] {
  const changed = components.filter(({ file }) => changeOf(file) !== firstChangeOf.get(file));
  return [...new Set(changed.map(({ origin }) => origin))];
}

function changeOf(file: string): number | undefined {
  return statSync(file, { throwIfNoEntry: false })?.mtimeMs;
}

function fileOf({ name, folder }: NamedPlugin): string {
  const path = resolve(folder, name);
  const [, packageName, entry = ''] = PACKAGE.exec(name) ?? [];
  if (statSync(path, { throwIfNoEntry: false })?.isFile() === true) return path;
  if (packageName === undefined) throw new Error(`the file ${path} does not exist`);
  const places = createRequire(path).resolve.paths(packageName) ?? [];
  const root = places.map((place) => join(place, packageName)).find((one) => existsSync(join(one, 'package.json')));
  if (root === undefined) throw new Error(`no file or package has this name in ${folder} or above`);
  const manifest = manifestIn(root);
  const main = entry === '' ? (legacy(manifest, { browser: false, fields: ['main'] }) ?? 'index.js') : `.${entry}`;
  return join(root, resolveExports(manifest, `.${entry}`)?.[0] ?? String(main));
}

function manifestIn(folder: string): { readonly [key: string]: unknown } {
  return JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
}

async function readModule(
  loaded: unknown,
  plugin: Pick<PluginComponent, 'origin' | 'file'>,
  components: PluginComponent[],
  report: (message: string) => void,
): Promise<void> {
  // A module of CommonJS has its exports there.
  const { default: whole } = Object(loaded);
  const module: Plugin = Object(
    COMPONENT_SECTIONS.some((section) => Object.hasOwn(Object(whole), section)) ? whole : loaded,
  );
  const version = typeof module.version === 'string' ? module.version : versionBeside(plugin.file);
  const parts = COMPONENT_SECTIONS.flatMap((section) =>
    Object.entries(Object(module[section])).map(([type, factory]) => ({ section, type, factory })),
  );
  if (parts.length === 0) report(`exports none of ${COMPONENT_SECTIONS.join(', ')}`);
  for (const { section, type, factory } of parts) {
    const refuse = (fault: string): void => report(`exports ${section}.${type}, which ${fault}`);
    const other = components.find((one) => one.section === section && one.type === type);
    if (!TYPE.test(type)) refuse('is not a letter and at most 62 letters, digits or _');
    else if (!isFactory(factory)) refuse('needs description, stability (stable, beta or alpha), schema and create');
    else if (other !== undefined) refuse(`${quoted(other.origin)} exports too`);
    else {
      const { description, stability, schema } = factory;
      const part = { ...plugin, section, type, description, stability, schema, version };
      try {
        await checkSchema(part);
        components.push({ ...part, create: (settings, context) => factory.create(settings as never, context) });
      } catch (error) {
        refuse(`has an unusable schema: ${messageOf(error)}`);
      }
    }
  }
}

function isFactory(value: unknown): value is Factory<unknown> {
  const { description, stability, schema, create } = Object(value);
  const hasTexts = typeof description === 'string' && STABILITIES.includes(stability);
  return hasTexts && isJsonObject(schema) && typeof create === 'function';
}

function versionBeside(file: string): string | undefined {
  let folder = dirname(file);
  while (!existsSync(join(folder, 'package.json')) && folder !== dirname(folder)) folder = dirname(folder);
  const { version } = existsSync(join(folder, 'package.json')) ? manifestIn(folder) : {};
  return typeof version === 'string' ? version : undefined;
}
