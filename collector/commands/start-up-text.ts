import { parseComponentId } from '../../config/component-id.js';
import type { ServiceDescription } from '../service.js';

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

/** What a person who started the collector needs: where events go in, where the data lies, how to send one and how to look at it. */
export function startUpText(description: ServiceDescription): string {
  const { receivers, extensions, exporters } = description;
  const rows = [
    ...receivers.map(({ id, url }) => [id, url]),
    ...extensions.map(({ id, url }) => [id, url]),
    ...exporters.map(({ id, directory }) => [id, directory]),
  ];
  const width = Math.max(...rows.map(([id = '']) => id.length));
  return [
    'faultline is collecting.',
    '',
    ...rows.map(([id = '', where]) => `  ${id.padEnd(width)}  ${where}`),
    '',
    ...exporters.map(({ keeps }) => `Events are kept ${keeps} (exporters.store.retention).`),
    '',
    ...sendLines(receivers),
    'Look at it:',
    `  ${browseLine(description)}`,
    '',
  ].join('\n');
}

/** A line that sends an event, where something takes one as plain JSON. */
function sendLines(receivers: ServiceDescription['receivers']): string[] {
  const plain = receivers.find(({ id }) => parseComponentId(id).type === 'events');
  return plain === undefined ? [] : ['Send an event:', `  ${curlLine(plain.url)}`, ''];
}

function curlLine(url: string): string {
  return `curl -sS ${shellWord(url)} -H 'content-type: application/json' -d ${shellWord(JSON.stringify(SAMPLE_EVENT))}`;
}

function browseLine({ extensions, exporters }: ServiceDescription): string {
  const [query] = extensions;
  if (query === undefined) return `npx faultline browse --data ${shellWord(exporters[0]?.directory ?? '')}`;
  return query.url === DEFAULT_QUERY_URL
    ? 'npx faultline browse'
    : `npx faultline browse --url ${shellWord(query.url)}`;
}

/** The text as one word of a POSIX shell. */
function shellWord(text: string): string {
  return /^[\w.,:/=@%+-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`;
}
