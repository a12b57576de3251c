/** An exception as a stack prints it. */
export interface PrintedException {
  /** With its module. */
  readonly type: string;
  /** In one line; empty without one. */
  readonly message: string;
  /** The line of the call that raised it; empty if the stack has another form. */
  readonly frame: string;
}

/** The exceptions of a stack. */
interface PrintedChain {
  /** Undefined if the stack does not name it. */
  readonly main: PrintedException | undefined;
  /** The causes of the main exception that the stack names. */
  readonly causes: readonly PrintedException[];
}

/** UTF-16 units of a stack that are searched for causes, of one exception, and of its header. */
const MAX_STACK = 131_072;
const MAX_SECTION = 8_192;
const MAX_HEADER = 2_048;
const MAX_CAUSES = 32;

/** Parts of the marks of causes, of letters that are rare in stacks. */
const PARTS_OF_MARKS = ['by: ', '[cause]: ', '---> ', 'The above exception', '\nNext '] as const;
/** What was only being handled is not a cause. */
const HANDLED = 'During handling of the above exception, another exception occurred:';
const PYTHON_LINK = 'The above exception was the direct cause of the following exception:';
const PYTHON_FRAME = '  File "';
const PYTHON_CALL = /^ {2}File "([^"\n]{1,500})", line \d{1,9}, in (.{1,256})/;
/** Before each cause: of the JVM and of loggers, of Node.js, of .NET. Indented ones of the JVM belong to suppressed exceptions. */
const BEFORE_CAUSE = /(?:^|\n)[Cc]aused by: |\n[ \t]{1,64}\[cause\]: |(?:^|\n| ) ?---> /;
/** Before each wrapper: of Logback if the root comes first, of PHP. */
const BEFORE_WRAPPER = /\n(?:Wrapped by: |Next )/;

const FRAME = /^[ \t]*(?:at |#0|File ")[^\n]*/m;
/** A class, a code of Node.js, and what separates them from the message. */
const HEADER =
  /^\[?([A-Za-z_$][\w.$\\+`]{0,255}(?:::\w{1,100}){0,9})(?: \[[\w.-]{1,64}\])?(?::(?=[ \n]|$)|(?=\]?(?:\n|$)))/;
/** The first line behind a message. */
const AFTER_MESSAGE =
  /\n[ \t]{0,64}(?:at |#\d|File "|from |\.\.\. \d|--- |---> |Suppressed: |Stack trace:|\[stacktrace\]|\{)/;
const BRACKET_AT_END = /\](?: \{)?$/;
const PLACE_AT_END = / in \S{1,400}:\d{1,9}$/;

/** A fast test that most stacks fail. */
export function mayHaveCause(stack: string): boolean {
  return PARTS_OF_MARKS.some((part) => stack.includes(part));
}

/** Reads the main exception of a stack and its causes. */
export function readChain(stack: string): PrintedChain {
  const text = stack.slice(0, MAX_STACK);
  const linked = text.slice(text.lastIndexOf(HANDLED) + 1);
  const isPython = linked.includes(PYTHON_LINK);
  const isRootFirst = isPython || BEFORE_WRAPPER.test(linked);
  const sections = isRootFirst
    ? linked.split(isPython ? PYTHON_LINK : BEFORE_WRAPPER).reverse()
    : linked.split(BEFORE_CAUSE, MAX_CAUSES + 1);
  const [main = '', ...causes] = sections.slice(0, MAX_CAUSES + 1);
  return { main: readException(main), causes: causes.flatMap((cause) => readException(cause) ?? []) };
}

/** Reads the header of the one exception in a text, which Python writes behind its calls; undefined without one. */
export function readException(section: string, frame = rootFrameOf(section)): PrintedException | undefined {
  const isPython = frame.startsWith(PYTHON_FRAME.trimStart());
  const head = isPython ? behindCalls(section) : section.trimStart().slice(0, MAX_HEADER);
  const header = HEADER.exec(head);
  if (header === null) return undefined;
  const [before, type = ''] = header;
  const text = head.slice(before.length).split(AFTER_MESSAGE, 1)[0] ?? '';
  const unbracketed = before.startsWith('[') ? text.trimEnd().replace(BRACKET_AT_END, '') : text;
  return { type, message: inOneLine(unbracketed.replace(PLACE_AT_END, '')), frame };
}

/** Behind the last call are its source and marks, indented. */
function behindCalls(section: string): string {
  const call = section.slice(section.lastIndexOf(PYTHON_FRAME));
  const header = /\n(?=[A-Za-z_])/.exec(call.slice(0, MAX_SECTION));
  return header === null ? '' : call.slice(header.index + 1).slice(0, MAX_HEADER);
}

/** Returns the line of the call that raised the main exception, in Python the last one; empty if the stack has another form. */
export function rootFrameOf(stack: string): string {
  const first = frameIn(stack);
  const isPython = first.startsWith(PYTHON_FRAME);
  return (isPython ? frameIn(stack.slice(stack.lastIndexOf(`\n${PYTHON_FRAME}`) + 1)) : first).trim();
}

/** Returns the function of a Python stack that caught the exception; other languages print the whole stack. */
export function catcherOf(stack: string): string | undefined {
  const start = stack.indexOf(PYTHON_FRAME);
  const match = start < 0 ? null : PYTHON_CALL.exec(stack.slice(start, start + MAX_HEADER));
  return match === null ? undefined : `${match[1]} ${match[2]}`;
}

function frameIn(text: string): string {
  return FRAME.exec(text.slice(0, MAX_SECTION))?.[0] ?? '';
}

/** UTF-16 units of a message that are compared. */
const MAX_COMPARED = 500;
const QUOTES = /['"`]/g;
const MAY_WRAP = /\s\s|[^\S ]/;

/** Senders cut, wrap and quote one message in different ways. */
export function inOneLine(message: string): string {
  const start = message.slice(0, MAX_HEADER);
  const unquoted = start.replace(QUOTES, '');
  const line = MAY_WRAP.test(unquoted) ? unquoted.replace(/\s+/g, ' ') : unquoted;
  return line.trim().slice(0, MAX_COMPARED);
}
