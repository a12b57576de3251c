import { cutText } from '../../event/text.js';
import type { Parameterizer } from './parameterize.js';
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

/** The client's template, otherwise the first telling lines of the message of an error of this type, with values replaced. */
export function messageText(type: string, message: string, replace: Parameterizer, template?: string): MessageText {
  if (template !== undefined) {
    const reason = 'The sender gave the message template.';
    return { value: template, firstLine: template, isTemplate: true, reason, reworded: null };
  }
  const { title, lines } = tellingText(thrownValue(cutText(message, MAX_MESSAGE)));
  const same = reworded(type, lines[0] ?? '');
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
