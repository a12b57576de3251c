import { unqualifiedName } from '../../../../core/event/class-name.js';
import { filledText, isJsonObject, type JsonValue, ownValue } from '../../../../core/event/json.js';
import type { RawPayload } from '../../../../core/event/raw-payload.js';
import { cutText } from '../../../../core/event/text.js';
import { withLoggedFailure } from '../../../log-parsing/failure-in-text.js';
import type { AttributeReader } from './attribute-reader.js';

/** Sources of a failure's message besides its attributes. */
interface FailureWords {
  /** Null for span events. */
  readonly body: JsonValue;
  /** Empty for log records. */
  readonly spanStatusMessage: string;
  readonly eventName: string;
}

const STACK_KEYS = ['exception.stacktrace', 'code.stacktrace'];
const TYPE_KEYS = ['exception.type'];
const ERROR_TYPE_KEYS = ['error.type'];
const MESSAGE_KEYS = ['exception.message'];
const CAUSE_KEYS = [
  'exception.cause.stacktrace',
  'exception.cause.message',
  'error.cause.stacktrace',
  'error.cause.message',
];
const TELLS_CAUSE = /^Caused by: |\[cause\]: /m;
/** UTF-16 units of a stack that are searched for causes. */
const LONGEST_LOOK = 131_072;
const OTHER_TYPE = '_OTHER';
const STATUS_CODE = /^\d{3}$/;
const LONGEST_LINE = 1_024;
/** A qualified class name before a message or alone. */
const NAME_OF_LINE = /^(?:Uncaught |Caused by: )?([A-Za-z_$][\w$.]*)(?::(?: |$)|$)/;
const ENDS_LIKE_ERROR = /(?:Error|Exception|Fault)$/;
const PYTHON_HEADING = 'Traceback ';
const PYTHON_FRAME = '\n  File "';
/** The class in the first line that is not indented. */
const PYTHON_NAME = /^[A-Za-z_][\w.]*(?=: |:?$)/m;

/** Reads the error fields from a failure's attributes, else from its words. */
export function readErrorFields(
  source: AttributeReader,
  words: FailureWords,
): Pick<RawPayload, 'error_name' | 'message' | 'stack'> {
  const stack = withCause(source.text(STACK_KEYS) ?? null, source);
  const ending = pythonEnding(stack, source);
  const error_name =
    ending?.name ?? source.text(TYPE_KEYS) ?? errorTypeIn(source) ?? nameInStack(stack) ?? nameInBody(words.body) ?? '';
  const message =
    ending?.message ??
    source.text(MESSAGE_KEYS) ??
    messageInBody(words.body) ??
    (words.spanStatusMessage || words.eventName);
  return withLoggedFailure({ error_name, message: message === '' ? wholeBody(words.body) : message, stack });
}

interface PythonEnding {
  readonly name: string | undefined;
  readonly message: string | undefined;
}

/**
 * Returns what differs between the attributes and the last line of a Python stack, which all reports of an exception share: log records
 * have the bare name of the class and the first argument, spans the name with its module. The attributes stay unused.
 */
function pythonEnding(stack: string | null, source: AttributeReader): PythonEnding | undefined {
  const type = filledText(source.peek('exception.type'));
  if (type === undefined || stack?.startsWith(PYTHON_HEADING) !== true) return undefined;
  const end = stack.slice(Math.max(0, stack.lastIndexOf(PYTHON_FRAME) + 1));
  const match = PYTHON_NAME.exec(end);
  const name = match?.[0] ?? '';
  if (match === null || unqualifiedName(name) !== unqualifiedName(type)) return undefined;
  const message = end.slice(match.index + name.length + ': '.length).trimEnd();
  const sent = filledText(source.peek('exception.message')) ?? '';
  // A stack also holds notes, and may be cut.
  const isSame = message.startsWith(sent) || sent.startsWith(message);
  return { name: name === type ? undefined : name, message: isSame ? undefined : message };
}

/** Appends the cause of separate attributes to a stack that has none. The attributes stay unused. */
function withCause(stack: string | null, source: AttributeReader): string | null {
  const key = stack === null ? undefined : CAUSE_KEYS.find((one) => filledText(source.peek(one)) !== undefined);
  if (stack === null || key === undefined || TELLS_CAUSE.test(stack.slice(0, LONGEST_LOOK))) return stack;
  return `${stack}\nCaused by: ${source.peek(key)}`;
}

function errorTypeIn(source: AttributeReader): string | undefined {
  const type = source.peek('error.type');
  if (typeof type !== 'string' || type === OTHER_TYPE || STATUS_CODE.test(type)) return undefined;
  return source.text(ERROR_TYPE_KEYS);
}

function nameInStack(stack: string | null): string | undefined {
  if (stack === null) return undefined;
  const isPython = stack.startsWith(PYTHON_HEADING);
  const text = isPython ? stack.slice(-LONGEST_LINE).trimEnd() : cutText(stack, LONGEST_LINE).trimStart();
  const line = isPython ? text.slice(text.lastIndexOf('\n') + 1) : (text.split('\n', 1)[0] ?? '').trimEnd();
  const name = NAME_OF_LINE.exec(line)?.[1];
  if (name === undefined) return undefined;
  // A single word is a name only if it ends like one.
  return line.includes(':') || ENDS_LIKE_ERROR.test(name) ? name : undefined;
}

function nameInBody(body: JsonValue): string | undefined {
  const error = isJsonObject(body) ? ownValue(body, 'err') : undefined;
  if (error === undefined || !isJsonObject(error)) return undefined;
  return filledText(ownValue(error, 'type')) ?? filledText(ownValue(error, 'name'));
}

function messageInBody(body: JsonValue): string | undefined {
  if (!isJsonObject(body)) return filledText(body);
  return filledText(ownValue(body, 'message')) ?? filledText(ownValue(body, 'msg'));
}

/** The last resort: any other body as JSON. */
function wholeBody(body: JsonValue): string {
  return body === null || body === '' ? '' : cutText(JSON.stringify(body), LONGEST_LINE);
}
