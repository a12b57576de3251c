import { parseComponentId } from '../../config/values/component-id.js';
import type { ServiceDescription } from '../service/service.js';

/** The reading endpoint that `faultline browse` tries by itself. */
const DEFAULT_QUERY_URL = 'http://localhost:4319';

const SAMPLE_EVENT = {
  app: 'shop',
  service: 'api',
  env: 'development',
  error_name: 'HelloError',
  message: 'the first event',
  route: '/hello',
};

/**
 * What a person who started the collector needs: where events go in, where the data lies, how to send one and how to look at it. `guarded` are the ids that
 * ask for a token, default none.
 */
export function startUpText(description: ServiceDescription, guarded: ReadonlySet<string> = new Set()): string {
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
    ...sendLines(receivers, guarded),
    'Look at it:',
    `  ${browseLine(description, guarded)}`,
    '',
  ].join('\n');
}

/** A line that sends an event, where something takes one as plain JSON. */
function sendLines(receivers: ServiceDescription['receivers'], guarded: ReadonlySet<string>): string[] {
  const plain = receivers.find(({ id }) => parseComponentId(id).type === 'events');
  return plain === undefined ? [] : ['Send an event:', `  ${curlLine(plain.url, guarded.has(plain.id))}`, ''];
}

function curlLine(url: string, isGuarded: boolean): string {
  // In double quotes the shell puts the token there, and none is shown here.
  const token = isGuarded ? ' -H "authorization: Bearer $FAULTLINE_INGEST_TOKEN"' : '';
  const type = `-H 'content-type: application/json'`;
  return `curl -sS ${shellWord(url)}${token} ${type} -d ${shellWord(JSON.stringify(SAMPLE_EVENT))}`;
}

function browseLine({ extensions, exporters }: ServiceDescription, guarded: ReadonlySet<string>): string {
  const [query] = extensions;
  if (query === undefined) return `npx faultline browse --data ${shellWord(exporters[0]?.directory ?? '')}`;
  const url = query.url === DEFAULT_QUERY_URL ? '' : ` --url ${shellWord(query.url)}`;
  return `npx faultline browse${url}${guarded.has(query.id) ? ' --token-file <file>' : ''}`;
}

/** The text as one word of a POSIX shell. */
function shellWord(text: string): string {
  return /^[\w.,:/=@%+-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`;
}
