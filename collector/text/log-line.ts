const LOG_LINE =
  /^\s{0,8}[[(]?(?:\d{4}[-/]\d\d[-/]\d\d|\d\d:\d\d:\d\d|[A-Z][a-z]{2} [ \d]\d,? (?:\d{4} \d{1,2}|\d\d):\d\d|(?:TRACE|DEBUG|INFO|NOTICE|WARN|WARNING|ERROR|CRITICAL|FATAL|SEVERE|info|warn|dbug|fail|crit|trce)\b[\]:)\s])/;

/** Whether a line begins as a logger begins one, with a time or a level: it is then no further line of a message. */
export function isLogLine(line: string): boolean {
  return LOG_LINE.test(line);
}
