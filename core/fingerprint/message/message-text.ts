import type { JsonObject, JsonValue } from '../../event/json.js';
import { cutText, plainText } from '../../event/text.js';
import type { ClientMaterial } from '../sentry-material.js';
import { type Parameterizer, parameterize } from './parameterize.js';
import { uniformSql } from './sql-text.js';
import { tellingText } from './telling-text.js';
import { thrownValue } from './thrown-value.js';
import { type Reworded, reworded } from './wordings/reword.js';

/** UTF-16 units. */
const MAX_MESSAGE = 8_192;
/** Python appends it to the message of a group in a text, but not in what SDKs send. */
const COUNTED_MEMBERS = / \(\d{1,9} sub-exceptions?\)$/;
/** Apple prints details of an error, with addresses and further errors, after its description. */
const USER_INFO = / UserInfo=\{.{0,8192}$/;
/** Browsers end some messages with the address of an explanation. */
const EXPLAINED = /(?<=[.!)]) https?:\/\/[^\s?&]{1,200}$/;
const TEMPLATE_KEYS = ['message_template', 'message.template'] as const;

/** A message with its values replaced. */
export interface MessageText {
  /** Its `foldedMessage` is hashed; empty for an empty message. */
  readonly value: string;
  /** For titles; empty if no line says anything. */
  readonly firstLine: string;
  /** True if the client sent the template. */
  readonly isTemplate: boolean;
  readonly reason: string;
  /** How a line that script engines and bundlers word differently was reworded; null for other messages. */
  readonly reworded: Reworded | null;
}

/** What a message belongs to. */
interface MessageSource {
  readonly extra?: JsonObject | null;
  readonly material?: ClientMaterial | null;
  /** Default: unknown. */
  readonly type?: string;
}

/** The client's template, otherwise the first telling lines of the message with values replaced. */
export function messageText(
  message: string,
  { extra = null, material = null, type = '' }: MessageSource = {},
  replace: Parameterizer = parameterize,
): MessageText {
  const template = clientTemplate(extra) ?? templateIn(material?.template);
  if (template !== undefined) {
    const reason = 'The sender gave the message template.';
    return { value: template, firstLine: template, isTemplate: true, reason, reworded: null };
  }
  const { title, lines } = tellingText(thrownValue(cutText(message, MAX_MESSAGE)));
  const same = reworded(lines[0] ?? '', type) ?? null;
  if (same !== null) {
    const reason = 'The failure, in the words that stand for all wordings of it.';
    return { value: same.text, firstLine: same.text, isTemplate: false, reason, reworded: same };
  }
  const shown = withoutAppendix(title);
  const firstLine = replace(shown);
  const value = lines
    .map((line) => uniformSql(withoutAppendix(line)))
    .map((line) => (line === shown ? firstLine : replace(line)))
    .join('\n');
  return {
    value,
    firstLine,
    isTemplate: false,
    reason: 'First lines of the message, with values replaced.',
    reworded: null,
  };
}

/** A line without what languages and engines append to what failed. */
function withoutAppendix(line: string): string {
  if (line.endsWith(')')) return line.replace(COUNTED_MEMBERS, '');
  if (line.includes(' UserInfo={')) return line.replace(USER_INFO, '');
  return line.includes('://') ? line.replace(EXPLAINED, '') : line;
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
