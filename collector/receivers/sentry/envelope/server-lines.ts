/** UTF-16 units of a line that are read. */
const MAX_LINE = 1_024;

/** What servers and frameworks log when an exception ends a request. */
const FORMS: readonly RegExp[] = [
  // Tomcat
  /^Servlet\.service\(\) for servlet \S{1,200} (?:in context with path \S{1,200} )?threw exception/,
  // Undertow
  /^UT005023: Exception handling request to \//,
  // Spring WebFlux
  /^(?:\[[\w-]{1,64}\] )?\s?500 Server Error for HTTP [A-Z]/,
  // Django
  /^Internal Server Error: \//,
  // Flask
  /^Exception on \/\S{0,900} \[[A-Z]{1,20}\]$/,
  // Uvicorn and Hypercorn
  /^Exception in ASGI (?:application|Framework)$/,
  // Gunicorn and aiohttp
  /^Error handling request(?: \/|$)/,
  // ASP.NET Core
  /^An unhandled exception has occurred while executing the request\.?$/,
];
const QUOTED = ' threw exception [';
const MAX_WRAPPERS = 8;

/** Whether a text is the line by which a server logs that an exception ended a request. */
export function isServerLine(text: string): boolean {
  const line = firstLine(text);
  return FORMS.some((form) => form.test(line));
}

/** Returns the exception that a line of Tomcat quotes, without and with each of its wrappers. */
export function exceptionsInServerLine(text: string): readonly string[] {
  const line = firstLine(text);
  const start = line.indexOf(QUOTED);
  const end = line.lastIndexOf(']');
  if (start < 0 || end < start) return [];
  const parts = line.slice(start + QUOTED.length, end).split(': ');
  return parts.slice(0, MAX_WRAPPERS).map((_, index) => parts.slice(index).join(': '));
}

/** Returns the first line of a text, as it is compared. */
export function firstLine(text: string): string {
  const [line = ''] = text.slice(0, MAX_LINE).trimStart().split('\n', 1);
  return line.trimEnd();
}
