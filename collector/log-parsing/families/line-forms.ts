import type { LineForm } from '../line-form.js';

/** The reason of an exit in Erlang, a term that its calls may follow, with its first atom. */
const REASON = String.raw`\{?(?<message>\{?(?<name>[a-z]\w{0,100}|'[^']{1,100}')(?:,.{0,2000}?)??\}?)(?:,|,\[.*|[})]{0,4})$`;
const LOCATED = String.raw`(?:\S{1,256}[/\\])?[^\s:]{1,256}:\d{1,9}`;

const LOGFMT_LEVEL = String.raw`(?:[\w.@-]{1,64}[.@-])?(?:level|lvl)=`;
/** A key of logfmt with its value, or a word: of a time with a space, for example. */
const LOGFMT_PAIR = String.raw`[^\s"=]{1,256}(?:=(?:"(?:[^"\\]|\\.){0,4096}"|[^\s"]{0,4096}))?`;

/** Failures of one line. `onlyAtEnd`: only in the last lines of a program that failed; `isLog`: belongs to the trace that follows it. */
export const LINE_FORMS: readonly LineForm[] = [
  {
    format: 'cpp',
    first: /^terminate called after throwing an instance of '(?<name>[^']{1,512})'$/,
    further: /^ {2}what\(\): /,
    detail: /^ {2}what\(\): {1,2}(?<message>.*)$/,
  },
  {
    format: 'cpp',
    first:
      /^(?<message>terminate called (?:without an active exception|recursively)|(?:pure|deleted) virtual method called)$/,
    further: /^terminate called /,
    name: 'std::terminate',
  },
  {
    format: 'cpp',
    first:
      /^libc\+\+abi(?:\.dylib)?: terminating (?:due to|with) uncaught exception of type (?<name>[^:\s](?:[^:]|::){0,255})(?:: (?<message>.*))?$/,
  },
  {
    format: 'c',
    first: new RegExp(
      `^(?:\\S{1,256}: )?${LOCATED}: (?:\\S.{0,512}: )?(?<name>Assertion) [\`'](?<message>.{1,2048})' failed\\.$`,
    ),
  },
  // V8 without memory; native frames follow.
  {
    format: 'node',
    first: /^(?<name>FATAL ERROR): (?<message>\S.*)$/,
    further: /^ ?\d{1,3}: 0x|^----- /,
  },
  {
    format: 'sanitizer',
    // What is `attempting` or `requested` has its name in the summary.
    first:
      /^(?:==\d{1,10}==)?(?:ERROR|WARNING): [A-Z]\w{1,30}Sanitizer: (?:detected )?(?<name>memory leaks|[A-Z]{2,8}\b|[a-z]{1,40}(?: [a-z]{1,20}){1,5}(?= \()|\w{1,40}-[\w-]{1,60})?(?::? ?(?<message>.*))?$/,
    detail: /^SUMMARY: [A-Z]\w{1,30}Sanitizer: (?<name>[\w-]{1,100}) /,
    further: /^(?!==\d{1,10}==ABORTING)/,
    last: /^==\d{1,10}==ABORTING$|^SUMMARY: (?:Leak|Memory|Thread)Sanitizer: /,
    stackEnd: /^SUMMARY: /,
  },
  {
    format: 'sanitizer',
    first: /^\S{1,512}:\d{1,9}:\d{1,9}: (?<name>runtime error): (?<message>.*)$/,
    further: /^ {4}#\d{1,6} /,
  },
  {
    format: 'lua',
    first: new RegExp(`^(?:\\S{0,256}[/\\\\])?lua[\\w.-]{0,16}: (?:${LOCATED}: )?(?<message>.*)$`),
    further: /^\t|^stack traceback:$/,
    proof: /^stack traceback:$/,
    name: 'error',
  },
  {
    format: 'lua',
    first: new RegExp(`^(?:\\S{0,256}[/\\\\])?lua[\\w.-]{0,16}: (?:${LOCATED}: )?(?<message>.*)$`),
    name: 'error',
    onlyAtEnd: true,
  },
  {
    format: 'erlang',
    first: /^escript: exception (?<name>error|exit|throw): (?<message>.*)$/,
    further: /^ {2}/,
  },
  {
    format: 'erlang',
    first: /^=(?:ERROR|CRASH) REPORT==== \S.{1,60} ===$/,
    further: /^[^=]|^=(?:CRASH|SUPERVISOR) REPORT/,
    afterBlank: /^=(?:CRASH|SUPERVISOR) REPORT/,
    detail: new RegExp(
      `^ {0,8}(?:(?:(?:\\*\\* )?(?=\\{)|\\*\\* Reason for termination = \\w{4,5}:)${REASON}|exception (?:exit|error|throw): (?<word>.*)$)`,
    ),
    level: 'error',
  },
  {
    format: 'erlang',
    first: new RegExp(
      `^(?:\\{"init terminating in do_boot",|(?:init|Runtime) terminating (?:in do_|during )boot \\()${REASON}`,
    ),
    further: /^init terminating in do_boot \(/,
  },
  {
    format: 'python',
    first: /^(?<name>Fatal Python error): (?<message>.*)$/,
    further:
      /^(?:Current thread|Thread) 0x|^ {2}(?:File "|<no Python frame>)|^(?:Python runtime state|Extension modules): /,
  },
  {
    format: 'perl',
    first: /^(?<message>\S.{0,2047}) at \S.{0,511}? line \d{1,9}(?:, <\w{1,64}> (?:line|chunk) \d{1,9})?\.?$/,
    further: /^\t\S.{0,2048} called at .{1,512} line \d{1,9}$|^ at \S.{0,511} line \d{1,9}\.$/,
    name: 'die',
    onlyAtEnd: true,
  },
  { format: 'shell', first: /^\S[^:]{0,511}: line \d{1,9}: (?<message>\S.*)$/, name: 'ProcessExit', onlyAtEnd: true },
  {
    format: 'go',
    first:
      /^(?:[^\d\s]\S{0,64} )?\d{4}\/\d\d\/\d\d \d\d:\d\d:\d\d(?:\.\d{6})? (?:[\w./-]{1,256}\.go:\d{1,9}: )?(?:ERROR )?(?<message>\S.*)$/,
    name: 'log.Fatal',
    onlyAtEnd: true,
  },
  {
    format: 'log',
    // A time, then a level in any brackets.
    first:
      /^\[?\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d\S{0,16} {1,4}\[?(?:ERROR|FATAL|CRITICAL|SEVERE)\b\W{0,8}(?<message>\S.*)$/i,
    name: 'ProcessExit',
    onlyAtEnd: true,
  },
  {
    format: 'log',
    // Loguru.
    first: /^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d\.\d{3} \| (?<level>ERROR|CRITICAL) {1,8}\| \S{1,512} - (?<message>.*)$/,
    isLog: true,
  },
  {
    format: 'log',
    // The Logger of Ruby.
    first:
      /^[EF], \[\d{4}-\d\d-\d\dT[\d:.]{8,18} #\d{1,10}\] {1,2}(?<level>ERROR|FATAL) -- [^:]{0,128}: (?<message>\S.*)$/,
    isLog: true,
  },
  {
    format: 'log',
    // The klog library of Kubernetes and glog.
    first:
      /^(?<level>[EF])\d{4}(?:\d{4})? \d\d:\d\d:\d\d\.\d{6} {1,8}\d{1,10} [\w./-]{1,256}:\d{1,9}\] (?<message>.*)$/,
    isLog: true,
  },
  {
    format: 'log',
    // Zap for the console.
    first:
      /^\S{10,40}\t(?<level>ERROR|DPANIC|PANIC|FATAL)\t(?:\S{1,256}\t){0,2}(?<message>[^\t]{1,4096})(?:\t\{.*\})?$/,
    detail: /"err(?:or)?": ?"(?<error>(?:[^"\\]|\\.){1,4096})"/,
    isLog: true,
  },
  {
    format: 'log',
    // Nginx.
    first:
      /^\d{4}\/\d\d\/\d\d \d\d:\d\d:\d\d \[(?<level>error|crit|alert|emerg)\] \d{1,10}#\d{1,10}: (?:\*\d{1,12} )?(?<message>(?:(?!, client: ).)+)/,
    isLog: true,
  },
  {
    format: 'log',
    // The console logger of .NET.
    first: /^(?<level>fail|crit): \S{1,512}\[-?\d{1,10}\]$/,
    further: /^ {6}\S/,
    detail: /^ {6}(?<message>\S.*)$/,
    isLog: true,
  },
  {
    format: 'log',
    // Logfmt: logrus, slog, go-kit. The first key that is a level decides.
    first: new RegExp(
      `^(?=[\\w.@-]{1,64}=)(?:(?!${LOGFMT_LEVEL})${LOGFMT_PAIR} {1,8}){0,32}${LOGFMT_LEVEL}"?(?<level>error|fatal|panic|crit|err)"?(?:\\s|$)`,
      'i',
    ),
    detail:
      /(?:^| )(?:msg|message)="?(?<message>(?<=")(?:[^"\\]|\\.){1,4096}|(?<!")\S{1,4096})(?:.{0,512}? (?:err|error)="?(?<error>(?<=")(?:[^"\\]|\\.){1,4096}|(?<!")\S{1,4096}))?/,
    isLog: true,
  },
];
