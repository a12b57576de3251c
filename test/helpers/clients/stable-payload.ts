import { fileURLToPath } from 'node:url';

/** Where the programs lie that report. */
export const CLIENTS = fileURLToPath(new URL('../../fixtures/clients', import.meta.url));

/** Members that tell of the moment, the machine or the installation. */
const VOLATILE_KEYS: ReadonlySet<string> = new Set([
  'cloud_resource',
  'culture',
  'device',
  'end_time_unix_nano',
  'integrations',
  'modules',
  'os',
  'runtime',
  'start_time_unix_nano',
  'timestamp',
]);
const VOLATILE_TEXTS: readonly (readonly [RegExp, string])[] = [
  [/\b[0-9a-f]{32}\b/g, '<id>'],
  [/\b[0-9a-f]{16}\b/g, '<span>'],
  [/\b(127\.0\.0\.1|localhost):\d+/g, '$1:<port>'],
];

/** In frames of Node itself and of packages: which of them there are differs between versions. */
const FOREIGN = /\bnode:|\/node_modules\//;

/** A stored payload with a placeholder for whatever differs from run to run, from machine to machine and between versions of Node. */
export function stablePayload(payload: unknown): unknown {
  return JSON.parse(JSON.stringify(payload, stableMember));
}

function stableMember(key: string, member: unknown): unknown {
  if (VOLATILE_KEYS.has(key)) return `<${key}>`;
  // The application's name is a text, what the machine says of its process is not.
  if (key === 'app' && typeof member === 'object') return '<process>';
  if (key === 'frames' && Array.isArray(member)) return member.filter((frame) => !FOREIGN.test(JSON.stringify(frame)));
  return typeof member === 'string' ? stableText(member) : member;
}

function stableText(text: string): string {
  const lines = text.split('\n').filter((line) => !(/^ +at /.test(line) && FOREIGN.test(line)));
  const own = lines.join('\n').replaceAll(`file://${CLIENTS}`, '<clients>').replaceAll(CLIENTS, '<clients>');
  return VOLATILE_TEXTS.reduce((stable, [pattern, word]) => stable.replace(pattern, word), own);
}
