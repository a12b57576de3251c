import { printable } from '../../config/printable.js';

const LEVELS: Readonly<Record<number, { readonly name: string; readonly style: string }>> = {
  10: { name: 'TRACE', style: '2' },
  20: { name: 'DEBUG', style: '2' },
  30: { name: 'INFO ', style: '36' },
  40: { name: 'WARN ', style: '33' },
  50: { name: 'ERROR', style: '31' },
  60: { name: 'FATAL', style: '1;31' },
};
const UNKNOWN_LEVEL = { name: '?    ', style: '' };
const PLAIN = /^[\w./:@%+-]{1,200}$/;

/**
 * A line of the log for people, from a line of JSON: time, level, component, message, then what else is known as `key=value`; frames of an error stand below.
 * Nothing in it can move a cursor. A line that is no JSON object stays as it is, but for its control characters.
 */
export function consoleLine(jsonLine: string, isColoured: boolean): string {
  const entry = parseEntry(jsonLine);
  if (entry === undefined) return `${printable(jsonLine.trimEnd())}\n`;
  const { time, level, component, msg, err, ...fields } = entry;
  const { name, style } = LEVELS[Number(level)] ?? UNKNOWN_LEVEL;
  const { stack, ...error } = isObject(err) ? err : { stack: undefined };
  const known = isObject(err) ? { ...fields, err: error } : fields;
  const parts = [
    text(time),
    isColoured && style !== '' ? `\u001b[${style}m${name}\u001b[0m` : name,
    ...(component === undefined ? [] : [`${text(component)}:`]),
    text(msg),
    ...Object.entries(known).map(([key, value]) => `${printable(key)}=${fieldText(value)}`),
  ];
  const frames = typeof stack === 'string' ? stack.split('\n').map((frame) => printable(frame)) : [];
  return `${[parts.filter((part) => part !== '').join(' '), ...frames].join('\n')}\n`;
}

function parseEntry(line: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(line);
    return isObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function text(value: unknown): string {
  return value === undefined ? '' : printable(String(value));
}

function fieldText(value: unknown): string {
  return typeof value === 'string' && PLAIN.test(value) ? value : printable(JSON.stringify(value) ?? '');
}
