import { hash } from 'node:crypto';
import { cutText, plainText } from '../event/text.js';
import { type MessageText, messageText } from './message/message-text.js';
import type { RuleOutcome } from './rules/rule-outcome.js';
import type { ClientFingerprint } from './sentry-material.js';
import type { StackReading } from './stack/read-stack.js';
import { isStandardType } from './standard-types.js';

const MAX_NAME = 256;

/** Names that say only that something failed, in lower case and without their namespace. */
const GENERIC_NAMES: ReadonlySet<string> = new Set([
  '',
  'error',
  'exception',
  'throwable',
  'failure',
  'fault',
  'log',
  'log message',
  'message',
  'event',
  'unknown',
  'unknown error',
  'unknownerror',
  'unnamed',
  'none',
  'null',
  'undefined',
  'object',
  'string',
  'n/a',
  '-',
  'unhandledrejection',
  'unhandled rejection',
  'uncaughtexception',
  'uncaught exception',
]);

/** Namespaces in which `Error`, `Exception` and `Throwable` are the language's own root types. */
const ROOT_NAMESPACE = /^(?:java\.lang|system|builtins|kotlin|scala)\./;

/** A name of an error in plain text; a very long one is cut and ends in a hash, so that two long names never become one. */
export function plainErrorName(name: string): string {
  const plain = plainText(name);
  if (plain.length <= MAX_NAME) return plain;
  return `${cutText(plain, MAX_NAME)}…${hash('sha256', plain).slice(0, 16)}`;
}

/** Whether any failure may have a name, so that it tells none from another. */
function isNamelessError(plainName: string): boolean {
  return GENERIC_NAMES.has(plainName.toLowerCase().replace(ROOT_NAMESPACE, ''));
}

/** What was read from a payload before anything is decided. */
export interface Findings {
  readonly client: ClientFingerprint;
  /** Plain text. */
  readonly errorName: string;
  /** Whether the client made its type up, so that it says nothing. */
  readonly isSynthetic: boolean;
  readonly stack: StackReading;
  readonly message: MessageText;
  readonly user: RuleOutcome;
}

/** The exception that decides, of all that an event tells of. */
export interface MainError {
  /** Plain text. */
  readonly type: string;
  /** `nameless`: any failure may have it, or the client made it up. `standard`: it comes with the language. `own`: it says what failed. */
  readonly kind: 'nameless' | 'standard' | 'own';
  readonly message: MessageText;
  /** The event's own name where the main exception is another one; null where it is not. */
  readonly wrapper: string | null;
}

/** The root cause, or what the event names where its stack is no chain. */
export function mainError(findings: Findings): MainError {
  const { errorName, stack, message, user } = findings;
  if (stack.cause === null) {
    return { type: errorName, kind: kindOf(errorName, findings.isSynthetic), message, wrapper: null };
  }
  const type = plainErrorName(stack.cause);
  const own = messageText(stack.causeMessage ?? '', null, null, user.parameterize);
  // A root without a message and without frames of its own would be any failure of its type.
  const isSilent = own.value === '' && (stack.frames === null || stack.frames.doubt !== null);
  return {
    type,
    kind: kindOf(type, findings.isSynthetic),
    message: isSilent ? message : own,
    wrapper: errorName,
  };
}

function kindOf(type: string, isSynthetic: boolean): MainError['kind'] {
  if (isSynthetic || isNamelessError(type)) return 'nameless';
  return isStandardType(type) ? 'standard' : 'own';
}
