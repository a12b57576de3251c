import { isNamelessError, plainErrorName } from './error-name.js';
import type { Findings } from './findings.js';
import { type MessageText, messageText } from './message-text.js';
import { isStandardType } from './standard-types.js';

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
