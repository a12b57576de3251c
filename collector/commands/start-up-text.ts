import { isAbsolute, relative } from 'node:path';
import { parseComponentId } from '../../config/values/component-id.js';
import { printable, quotedForShell } from '../../config/values/printable.js';
import type { ServiceDescription } from '../service/service.js';

interface StartUpOptions {
  readonly version: string;
  /** Ids that require a token, default none. */
  readonly secured?: ReadonlySet<string>;
  /** The command to call, default `faultline`. */
  readonly command?: string;
}

type Row = readonly [label: string, where: string];

/** The addresses that commands use without --url. */
const DEFAULT_INGEST_URL = 'http://localhost:4318';
const DEFAULT_QUERY_URL = 'http://localhost:4319';

const EVENTS_PATH = /\/v1\/events$/;
/** By type; other components have their id. */
const LABELS: Readonly<Record<string, string>> = { sentry: 'Sentry DSN', query: 'reading', health_check: 'health' };

/** How a user calls this program again: npm and npx do not put it on the path. */
export function commandToCall({ npm_command: started }: Readonly<Record<string, string | undefined>>): string {
  return started === undefined ? 'faultline' : 'npx faultline';
}

/** Lists the endpoints and the retention of a collector, and the commands to send an event and to browse. */
export function startUpText(
  description: ServiceDescription,
  { version, secured = new Set(), command = 'faultline' }: StartUpOptions,
): string {
  const { extensions, exporters, metrics } = description;
  const rows: readonly Row[] = [
    ...receiverRows(description),
    ...extensions.map(({ id, url }): Row => [labelOf(id), url]),
    ...(metrics === undefined ? [] : [['metrics', metrics] as const]),
  ];
  const width = Math.max(...rows.map(([label]) => label.length));
  return [
    `faultline ${version} is collecting into ${exporters.map(({ directory }) => shownFolder(directory)).join(' and ')}`,
    '',
    ...rows.map(([label, where]) => `  ${label.padEnd(width)}  ${where}`),
    '',
    ...exporters.map(({ id, keeps }) => `Events ${exporters.length > 1 ? `of ${id} ` : ''}are kept ${keeps}.`),
    ...sendLines(description, secured, command),
    `Look:    ${command} browse${browseOptions(description, secured)}`,
    '',
  ].join('\n');
}

/** Events and OpenTelemetry share a row if they share an address. */
function receiverRows({ receivers }: ServiceDescription): Row[] {
  const bases = receivers.filter(({ id }) => typeOf(id) === 'events').map(({ url }) => url.replace(EVENTS_PATH, ''));
  return receivers.flatMap(({ id, url }): Row[] => {
    if (typeOf(id) === 'events') {
      const base = url.replace(EVENTS_PATH, '');
      const isShared = receivers.some((other) => typeOf(other.id) === 'otlp' && other.url === base);
      return [[isShared ? `${id} and OpenTelemetry` : id, base]];
    }
    if (typeOf(id) !== 'otlp') return [[labelOf(id), url]];
    if (url.startsWith('http')) return bases.includes(url) ? [] : [['OpenTelemetry', url]];
    return [['OpenTelemetry gRPC', url.replace(/^grpcs?:\/\//, '')]];
  });
}

function typeOf(id: string): string {
  return parseComponentId(id).type;
}

function labelOf(id: string): string {
  return LABELS[id] ?? id;
}

function sendLines({ receivers }: ServiceDescription, secured: ReadonlySet<string>, command: string): string[] {
  const receiver = receivers.find(({ id }) => typeOf(id) === 'events');
  if (receiver === undefined) return [];
  const url = receiver.url.replace(EVENTS_PATH, '');
  const token = secured.has(receiver.id) ? 'FAULTLINE_INGEST_TOKEN=<token> ' : '';
  return [`Try it:  ${token}${command} send${url === DEFAULT_INGEST_URL ? '' : ` --url ${quotedForShell(url)}`}`];
}

function browseOptions({ extensions, exporters }: ServiceDescription, secured: ReadonlySet<string>): string {
  const query = extensions.find(({ id }) => typeOf(id) === 'query');
  if (query === undefined) return ` --data ${quotedForShell(exporters[0]?.directory ?? '')}`;
  const url = query.url === DEFAULT_QUERY_URL ? '' : ` --url ${quotedForShell(query.url)}`;
  return `${url}${secured.has(query.id) ? ' --token-file <file>' : ''}`;
}

/** Relative to the working directory if the folder is in it. */
function shownFolder(directory: string): string {
  const path = relative('', directory);
  return printable(path === '' || path.startsWith('..') || isAbsolute(path) ? directory : `./${path}`);
}
