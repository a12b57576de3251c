import { parseComponentId } from '../../config/values/component-id.js';
import { quotedForShell } from '../../config/values/printable.js';
import type { ServiceDescription } from '../service/service.js';

/** The collector that `faultline browse` opens without --url. */
const DEFAULT_QUERY_URL = 'http://localhost:4319';

const SAMPLE_EVENT = {
  app: 'shop',
  service: 'api',
  env: 'development',
  error_name: 'HelloError',
  message: 'the first event',
  route: '/hello',
};

/** Lists the endpoints and data folders, and how to send and browse events. `secured`: ids that require a token, default none. */
export function startUpText(description: ServiceDescription, secured: ReadonlySet<string> = new Set()): string {
  const { receivers, extensions, exporters, metrics } = description;
  const rows = [
    ...receivers.map(({ id, url }) => [id, url]),
    ...extensions.map(({ id, url }) => [id, url]),
    ...(metrics === undefined ? [] : [['metrics', metrics]]),
    ...exporters.map(({ id, directory }) => [id, directory]),
  ];
  const width = Math.max(...rows.map(([id = '']) => id.length));
  return [
    'faultline is collecting.',
    '',
    ...rows.map(([id = '', where]) => `  ${id.padEnd(width)}  ${where}`),
    '',
    ...exporters.map(({ id, keeps }) => `Events are kept ${keeps} (exporters.${id}.retention).`),
    '',
    ...sendLines(receivers, secured),
    'Browse the issues:',
    `  ${browseCommand(description, secured)}`,
    '',
  ].join('\n');
}

function sendLines(receivers: ServiceDescription['receivers'], secured: ReadonlySet<string>): string[] {
  const receiver = receivers.find(({ id }) => parseComponentId(id).type === 'events');
  return receiver === undefined
    ? []
    : ['Send an event:', `  ${curlCommand(receiver.url, secured.has(receiver.id))}`, ''];
}

function curlCommand(url: string, isSecured: boolean): string {
  // The shell expands the variable in double quotes, so the token is never printed.
  const token = isSecured ? ' -H "authorization: Bearer $FAULTLINE_INGEST_TOKEN"' : '';
  const type = `-H 'content-type: application/json'`;
  return `curl -sS ${quotedForShell(url)}${token} ${type} -d ${quotedForShell(JSON.stringify(SAMPLE_EVENT))}`;
}

function browseCommand({ extensions, exporters }: ServiceDescription, secured: ReadonlySet<string>): string {
  const [query] = extensions;
  if (query === undefined) return `npx faultline browse --data ${quotedForShell(exporters[0]?.directory ?? '')}`;
  const url = query.url === DEFAULT_QUERY_URL ? '' : ` --url ${quotedForShell(query.url)}`;
  return `npx faultline browse${url}${secured.has(query.id) ? ' --token-file <file>' : ''}`;
}
