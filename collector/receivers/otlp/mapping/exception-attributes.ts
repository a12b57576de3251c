import { unqualifiedName } from '../../../../core/event/class-name.js';
import { filledText, type JsonValue } from '../../../../core/event/json.js';
import { cutText } from '../../../../core/event/text.js';
import { isNamelessError } from '../../../../core/fingerprint/main-error.js';
import { type ErrorFields, errorFieldsOf, firstFailureIn } from '../../../log-parsing/failure-in-text.js';
import { describeError, isTypeOfGo } from '../../../log-parsing/logged-error.js';
import { logEntryOf } from '../decode/log-entry.js';
import type { AttributeReader } from './attribute-reader.js';

/** Sources of a failure's message besides its attributes. */
interface FailureWords {
  /** Null for span events. */
  readonly body: JsonValue;
  /** Empty for log records. */
  readonly spanStatusMessage: string;
  readonly eventName: string;
  /** Whether the program is in Go. */
  readonly isGo: boolean;
  /** Whether only what the program printed tells the failure. */
  readonly isPrinted: boolean;
}

const TYPE = 'exception.type';
const MESSAGE = 'exception.message';
const STACK = 'exception.stacktrace';
const CAUSE_KEYS = [
  'exception.cause.stacktrace',
  'exception.cause.message',
  'error.cause.stacktrace',
  'error.cause.message',
];
const TELLS_CAUSE = /^Caused by: |\[cause\]: /m;
/** UTF-16 units of a stack that are searched for causes. */
const LONGEST_LOOK = 131_072;
const LONGEST_LINE = 1_024;
/** Attributes with the text of a whole record, as a program printed it. */
const ORIGINAL_KEYS = ['log.record.original', 'event.original'];
const PYTHON_HEADING = 'Traceback ';
const PYTHON_FRAME = '\n  File "';
/** The class in the first line that is not indented, and what separates it from the message. */
const PYTHON_NAME = /^([A-Za-z_][\w.]*)(?:: |:?(?:\n|$))/m;

/** Reads the error fields from a failure's attributes and words, as from the members of a JSON log line. */
export function readErrorFields(source: AttributeReader, words: FailureWords): ErrorFields {
  const fields = exceptionIn(source, words) ?? entryFields(source, words);
  source.use(TYPE, fields.error_name);
  source.use('error.type', fields.error_name);
  source.use(MESSAGE, fields.message);
  for (const key of [STACK, 'code.stacktrace', 'error.stack']) {
    const stack = filledText(source.peek(key));
    // A cause may follow it.
    if (stack !== undefined && fields.stack?.startsWith(stack)) source.use(key, stack);
  }
  return fields;
}

/** Returns an exception that the conventions describe in full; undefined for others, and for those of Go. */
function exceptionIn(source: AttributeReader, { isGo }: FailureWords): ErrorFields | undefined {
  const error_name = filledText(source.peek(TYPE));
  const message = filledText(source.peek(MESSAGE));
  const stack = filledText(source.peek(STACK));
  if (error_name === undefined || message === undefined || stack === undefined) return undefined;
  if (isGo || isTypeOfGo(error_name)) return undefined;
  return { error_name, message, stack: withCause(stack, source), ...pythonEnding(stack, source) };
}

function entryFields(source: AttributeReader, words: FailureWords): ErrorFields {
  const { body, spanStatusMessage, eventName, isGo } = words;
  const {
    errorName = '',
    message,
    stackText,
    logMessage,
  } = describeError(logEntryOf(source.attributes, body), { isGo });
  const fields = {
    error_name: String(errorName),
    message: String(message || logMessage || spanStatusMessage || eventName || wholeBody(body)),
    stack: withCause(stackText, source),
    ...pythonEnding(stackText, source),
  };
  const line = words.isPrinted && !isTraced(fields) ? firstFailureIn(String(logMessage)) : undefined;
  if (line !== undefined) return errorFieldsOf(line);
  const original = ORIGINAL_KEYS.map((key) => source.peek(key)).find((text) => typeof text === 'string');
  if (original === undefined || original === body || isTraced(fields)) return fields;
  const inOriginal = entryFields(source, { ...words, body: original });
  return isTraced(inOriginal) ? inOriginal : fields;
}

function isTraced({ error_name, stack }: ErrorFields): boolean {
  return stack !== null || !isNamelessError(error_name);
}

/**
 * Returns what differs between the attributes and the last line of a Python stack, which all reports of an exception share: log records
 * have the bare name of the class and the first argument, spans the name with its module. The attributes stay unused.
 */
function pythonEnding(stack: string | null, source: AttributeReader): Partial<ErrorFields> {
  const type = filledText(source.peek(TYPE));
  if (type === undefined || stack?.startsWith(PYTHON_HEADING) !== true) return {};
  const end = stack.slice(Math.max(0, stack.lastIndexOf(PYTHON_FRAME) + 1));
  const match = PYTHON_NAME.exec(end);
  const name = match?.[1] ?? '';
  if (match === null || unqualifiedName(name) !== unqualifiedName(type)) return {};
  const message = end.slice(match.index + match[0].length).trimEnd();
  const sent = filledText(source.peek(MESSAGE)) ?? '';
  // A stack also holds notes, and may be cut.
  const isSame = message.startsWith(sent) || sent.startsWith(message);
  return isSame ? { error_name: name } : { error_name: name, message };
}

/** Appends the cause of separate attributes to a stack that has none. The attributes stay unused. */
function withCause(stack: string | null, source: AttributeReader): string | null {
  const key = stack === null ? undefined : CAUSE_KEYS.find((one) => filledText(source.peek(one)) !== undefined);
  if (stack === null || key === undefined || TELLS_CAUSE.test(stack.slice(0, LONGEST_LOOK))) return stack;
  return `${stack}\nCaused by: ${source.peek(key)}`;
}

/** The last resort: any other body as JSON. */
function wholeBody(body: JsonValue): string {
  return body === null || body === '' ? '' : cutText(JSON.stringify(body), LONGEST_LINE);
}
