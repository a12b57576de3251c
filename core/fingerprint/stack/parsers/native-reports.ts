import type { ParsedStack } from './stack-parser.js';

/** UTF-16 units of a report that are searched. */
const MAX_REPORT = 8_192;
const VALUE = /-?\b(?:0x[\da-f]{1,16}|\d[\d.e+]{0,40})/g;

/** A line of a report that names the failure: its first group is the kind, the second the message. */
interface ReportRow {
  /** Occurs in each text that matches, and is found faster. */
  readonly mark: string;
  readonly pattern: RegExp;
  /** Whether the kind says all, and the rest of its line are addresses. */
  readonly isWhole?: true;
  readonly reason: string;
  /** A text, its kind and its message. */
  readonly example: readonly [string, string, string | null];
}

/** In order of what says most. */
export const REPORTS: readonly ReportRow[] = [
  {
    mark: 'Sanitizer: ',
    pattern: /(?:ERROR|WARNING): [A-Z]\w{1,40}Sanitizer: ([^:'(\n]{1,120}?)(?= on | in |[:'(\n]|$)/,
    isWhole: true,
    reason: 'Sanitizers name the kind of error.',
    example: ['==7==ERROR: AddressSanitizer: heap-use-after-free on address 0x60', 'heap-use-after-free', null],
  },
  {
    mark: ': runtime error: ',
    pattern: /:\d{1,9}: runtime error: ([^:'(\n]{1,120}?)(?= on | in |[:'(\n]|$)/,
    isWhole: true,
    reason: 'The sanitizer of undefined behaviour, without values.',
    example: [
      'src/cart.c:9:48: runtime error: shift exponent 33 is too large',
      'shift exponent <n> is too large',
      null,
    ],
  },
  {
    mark: ' at 0x',
    pattern: /^==\d{1,9}== ([A-Z][^\n]{1,200})\n==\d{1,9}==\s{1,8}at 0x/m,
    isWhole: true,
    reason: 'Valgrind writes the kind of error above the stack.',
    example: ['==7== Invalid read of size 8\n==7==    at 0x4010: total (cart.c:9)', 'Invalid read of size <n>', null],
  },
  {
    mark: 'uncaught exception ',
    pattern: /Terminating app due to uncaught exception '([\w.]{1,200})', reason: '(.{1,800}?)'?$/m,
    reason: 'The runtime of Objective-C names the exception that nothing caught.',
    example: [
      "*** Terminating app due to uncaught exception 'NSRangeException', reason: 'index 5 beyond bounds'",
      'NSRangeException',
      'index 5 beyond bounds',
    ],
  },
  {
    mark: 'Fatal Exception: ',
    pattern: /\bFatal Exception: ([A-Z]\w{1,100})$/m,
    reason: 'Crashlytics.',
    example: ['Fatal Exception: NSInvalidArgumentException\n0  CoreFoundation', 'NSInvalidArgumentException', null],
  },
  {
    mark: 'Exception Type: ',
    pattern:
      /^Exception Type:\s+((?:EXC|SIG)[A-Z_]{1,40})\b(?:[\s\S]{0,2000}?^Application Specific Information:\n(.{1,400})$)?/m,
    reason: 'Crash reports of Apple name the exception of the kernel, and what the runtime said.',
    example: [
      'Exception Type:  EXC_BREAKPOINT (SIGTRAP)\n\nApplication Specific Information:\nFatal error: no cart',
      'EXC_BREAKPOINT',
      'Fatal error: no cart',
    ],
  },
  {
    mark: 'signal ',
    pattern: /(?:^|: )signal \d{1,3} \((SIG[A-Z]{2,8})\)(?:[\s\S]{0,1000}?^Abort message: '(.{1,400})'$)?/m,
    reason: 'Tombstones of Android.',
    example: ["signal 6 (SIGABRT), code -1\nAbort message: 'no cart'", 'SIGABRT', 'no cart'],
  },
  {
    mark: 'Crash reason: ',
    pattern: /^Crash reason:\s{1,4}([A-Z][A-Z_\d]{3,60})/m,
    reason: 'Tools that read minidumps.',
    example: ['Crash reason:  EXCEPTION_ACCESS_VIOLATION_READ', 'EXCEPTION_ACCESS_VIOLATION_READ', null],
  },
  {
    mark: 'Unhandled Exception: EXCEPTION_',
    pattern: /\bUnhandled Exception: (EXCEPTION_[A-Z_]{3,60})\b/,
    reason: 'Engines of games on Windows.',
    example: [
      'Unhandled Exception: EXCEPTION_ACCESS_VIOLATION reading address 0x298',
      'EXCEPTION_ACCESS_VIOLATION',
      null,
    ],
  },
  {
    mark: ' received signal ',
    pattern: /\breceived signal (SIG[A-Z]{2,8})(?:, (.{1,200}?)\.?$|$)/m,
    reason: 'The debugger of GNU.',
    example: ['Program received signal SIGSEGV, Segmentation fault.', 'SIGSEGV', 'Segmentation fault'],
  },
  {
    mark: ' stop reason = ',
    pattern: /\bstop reason = (?:signal )?((?:EXC|SIG)[A-Z_]{1,40})\b/,
    reason: 'The debugger of LLVM.',
    example: ['* thread #1, stop reason = EXC_BAD_ACCESS (code=1, address=0x0)', 'EXC_BAD_ACCESS', null],
  },
  {
    mark: '*** SIG',
    pattern: /^\*\*\* (SIG[A-Z]{2,8}) \(@0x[^\n]{1,200} stack trace: \*\*\*$/m,
    reason: 'Handlers of the logging libraries of Google.',
    example: ['*** SIGSEGV (@0x0) received by PID 12 (TID 0x7f) from PID 0; stack trace: ***', 'SIGSEGV', null],
  },
];

/** The kind of failure and the message that a report names, without values in the kind; an empty message if the kind says all, nulls if the text is not a report. */
export function reportedFailure(stack: string): Pick<ParsedStack, 'rootCause' | 'rootMessage'> {
  const start = stack.slice(0, MAX_REPORT);
  for (const { mark, pattern, isWhole } of REPORTS) {
    const [, kind, message] = start.includes(mark) ? (pattern.exec(start) ?? []) : [];
    if (kind !== undefined)
      return { rootCause: kind.replace(VALUE, '<n>').trim(), rootMessage: message ?? (isWhole ? '' : null) };
  }
  return { rootCause: null, rootMessage: null };
}
