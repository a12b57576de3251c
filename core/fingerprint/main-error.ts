import { hash } from 'node:crypto';
import type { RawPayload } from '../event/raw-payload.js';
import { cutText, plainText } from '../event/text.js';
import { type MessageText, messageText } from './message/message-text.js';
import type { RuleOutcome } from './rules/rule-outcome.js';
import type { ClientFingerprint } from './sentry-material.js';
import type { ExceptionGroup } from './stack/parsers/stack-parser.js';
import type { StackAnalysis } from './stack/read-stack.js';
import { isStandardType } from './standard-types.js';

const MAX_NAME = 256;

/** A name that carries no information, in lower case and without its namespace. */
const GENERIC_NAME =
  /^(?:|error|exception|throwable|failure|fault|log|log message|message|event|unknown|unknown error|unknownerror|<unknown>|unnamed|none|null|undefined|object|\[object object\]|string|n\/a|-|unhandledrejection|unhandledpromiserejection(?:warning)?|unhandled rejection|uncaughtexception|uncaught exception|promiserejectionevent)$/;

/** Namespaces in which `Error`, `Exception` and `Throwable` are the language's own root types. */
const ROOT_NAMESPACE = /^(?:(?:java\.lang|system|builtins|exceptions|kotlin|scala)\.|\\)/;
/** Minified classes, as Dart for the web, bundlers and ProGuard name them: they change with each build. */
const MINIFIED_TYPE =
  /^(?:minified:[\w$]{1,12}(?:<[\w$<>:, ]{0,80}>)?|_\$\w{1,3}|(?:[A-Za-z_$]{1,2}\d?\.){0,6}[A-Za-z_$]{1,2}\d?)$/;

/** The name of an error as plain text. A long name is cut and ends in a hash, so that different names stay different. */
export function plainErrorName(name: string): string {
  const plain = plainText(name);
  if (plain.length <= MAX_NAME) return plain;
  return `${cutText(plain, MAX_NAME)}…${hash('sha256', plain).slice(0, 16)}`;
}

/** Whether a name is generic or minified, and does not separate failures. */
export function isNamelessError(plainName: string): boolean {
  return MINIFIED_TYPE.test(plainName) || GENERIC_NAME.test(plainName.toLowerCase().replace(ROOT_NAMESPACE, ''));
}

/** What was parsed from a payload, before the decision. */
export interface Findings {
  readonly payload: RawPayload;
  readonly client: ClientFingerprint;
  /** Plain text. */
  readonly errorName: string;
  /** Whether the client made up the type, so that it does not count. */
  readonly isSynthetic: boolean;
  /** The code of the deciding exception that the client sent beside the message; empty without one. */
  readonly code: string;
  readonly stack: StackAnalysis;
  readonly message: MessageText;
  readonly user: RuleOutcome;
}

/** The exception that decides. */
export interface MainError {
  /** Plain text. */
  readonly type: string;
  /** `nameless`: generic or made up by the client. `standard`: part of the language. `own`: names what failed. */
  readonly kind: 'nameless' | 'standard' | 'own';
  readonly message: MessageText;
  /** The event's error name if the stack has a root cause, else null. */
  readonly wrapper: string | null;
  /** Names the failure in its title: a group instead of one of its members. */
  readonly titled: Titled;
}

interface Titled {
  /** Plain text. */
  readonly type: string;
  readonly isNameless: boolean;
  readonly firstLine: string;
}

/** Returns the root cause, or the event's own error if the stack is not a chain. */
export function mainError(findings: Findings): MainError {
  const { errorName, stack, message, user } = findings;
  if (stack.cause === null) {
    const ownKind = kindOf(errorName, findings.isSynthetic);
    const titled = titledBy(errorName, ownKind, message);
    const type = message.reworded?.wording.type;
    const kind = type === undefined ? ownKind : kindOf(type, findings.isSynthetic);
    return { type: type ?? errorName, kind, message, wrapper: null, titled };
  }
  const type = plainErrorName(stack.cause);
  // A report that names the event's own type does not hold its message.
  const isOwn = stack.causeMessage === null && type === errorName;
  const own = isOwn ? message : messageText(type, stack.causeMessage ?? '', user.parameterize);
  // A root without message and frames would group all failures of its type.
  const isSilent = own.value === '' && stack.frames === null;
  const kind = kindOf(type, findings.isSynthetic);
  const counted = isSilent ? message : own;
  const titled = stack.group === null ? titledBy(type, kind, counted) : titledByGroup(stack.group, findings);
  return { type, kind, message: counted, wrapper: errorName, titled };
}

function titledBy(type: string, kind: MainError['kind'], { firstLine }: MessageText): Titled {
  return { type, isNameless: kind === 'nameless', firstLine };
}

/** A group without a type in the stack is the event's own error. */
function titledByGroup(group: ExceptionGroup, { errorName, message, user }: Findings): Titled {
  const type = group.type === null ? errorName : plainErrorName(group.type);
  const text = group.type === null ? message : messageText(type, group.message ?? '', user.parameterize);
  return { type, isNameless: isNamelessError(type), firstLine: text.firstLine };
}

function kindOf(type: string, isSynthetic: boolean): MainError['kind'] {
  if (isSynthetic || isNamelessError(type)) return 'nameless';
  return isStandardType(type) ? 'standard' : 'own';
}
