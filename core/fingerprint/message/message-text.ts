import type { JsonObject, JsonValue } from '../../event/json.js';
import { cutText, plainText } from '../../event/text.js';
import type { ClientMaterial } from '../sentry-material.js';
import { type Parameterizer, parameterize } from './parameterize.js';
import { thrownValue } from './thrown-value.js';

/** UTF-16 units. */
const MAX_MESSAGE = 8_192;
/** Lines with text; further lines are often data. */
const MAX_LINES = 2;
/** Python appends it to the message of a group in a text, but not in what SDKs send. */
const COUNTED_MEMBERS = / \(\d{1,9} sub-exceptions?\)$/;
const TEMPLATE_KEYS = ['message_template', 'message.template'] as const;

/** A message with its values replaced. */
export interface MessageText {
  /** Its `foldedMessage` is hashed; empty for an empty message. */
  readonly value: string;
  readonly firstLine: string;
  /** True if the client sent the template. */
  readonly isTemplate: boolean;
  readonly reason: string;
}

/** The client's template, otherwise the first lines of the message with values replaced. */
export function messageText(
  message: string,
  extra: JsonObject | null,
  material: ClientMaterial | null = null,
  replace: Parameterizer = parameterize,
): MessageText {
  const template = clientTemplate(extra) ?? templateIn(material?.template);
  if (template !== undefined) {
    const reason = 'The sender gave the message template.';
    return { value: template, firstLine: template, isTemplate: true, reason };
  }
  const lines = firstLines(thrownValue(cutText(message, MAX_MESSAGE))).map((line) => replace(withoutCount(line)));
  return {
    value: lines.join('\n'),
    firstLine: lines[0] ?? '',
    isTemplate: false,
    reason: 'First lines of the message, with values replaced.',
  };
}

function withoutCount(line: string): string {
  return line.endsWith(')') ? line.replace(COUNTED_MEMBERS, '') : line;
}

function clientTemplate(extra: JsonObject | null): string | undefined {
  if (extra === null) return undefined;
  for (const key of TEMPLATE_KEYS) {
    const template = Object.hasOwn(extra, key) ? templateIn(extra[key]) : undefined;
    if (template !== undefined) return template;
  }
  return undefined;
}

function templateIn(value: JsonValue | undefined): string | undefined {
  if (typeof value !== 'string') return undefined;
  const plain = plainText(cutText(value, MAX_MESSAGE));
  return plain === '' ? undefined : plain;
}

/** The first lines with text before a stack. */
function firstLines(message: string): string[] {
  const lines: string[] = [];
  let at = 0;
  while (at < message.length && lines.length < MAX_LINES) {
    const newline = message.indexOf('\n', at);
    const end = newline < 0 ? message.length : newline;
    const line = plainText(message.slice(at, end));
    if (lines.length > 0 && line.startsWith('at ')) break;
    if (line !== '') lines.push(line);
    at = end + 1;
  }
  return lines;
}

/** A plural noun of 4 to 31 letters after a number; words such as `access`, `status` and `axis` are not plurals. */
const COUNTED = /<n> ([a-z]{3,30}(?<![sui]))s(?![\w'’-])/;
const ALL_COUNTED = new RegExp(COUNTED, 'g');
const WITH_ES = /(?:ch|sh|x|ss|zz)e$/;
/** Parentheses with values only, or empty because a value was missing. */
const REMARK = / \((?:<[a-z]{1,5}>%?[ ,;:/]{0,2}){0,20}\)/g;
/** Mail servers write the name of a machine, or `unknown`, before its address. */
const NAMED_ADDRESS = /(?:<host>|(?<![\w.-])[\w.-]{1,100})\[<host>\]/g;

/** The text that is hashed for a message: equal for one item and several, and with or without a remark that has only values. A verb loses its `s` too, which is harmless. */
export function foldedMessage(template: string): string {
  let text = template.includes(' (') ? template.replace(REMARK, '') : template;
  if (text.includes('[<host>]')) text = text.replace(NAMED_ADDRESS, '<host>');
  if (!text.includes('<n> ') || !COUNTED.test(text)) return text;
  return text.replace(ALL_COUNTED, (_, stem: string) => {
    if (stem.endsWith('ie')) return `<n> ${stem.slice(0, -2)}y`;
    return `<n> ${WITH_ES.test(stem) ? stem.slice(0, -1) : stem}`;
  });
}
