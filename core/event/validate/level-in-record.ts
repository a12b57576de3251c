import type { JsonValue } from '../json.js';
import { levelSeverity } from '../level.js';

/** A library or protocol that writes levels as numbers. */
export type LevelScale = keyof typeof SCALES;

/** What each scale's exact numbers mean; other numbers are no level. */
const SCALES = {
  /** https://docs.python.org/3/library/logging.html#logging-levels, with the steps that Loguru adds. Sentry's clients of Python send them too. */
  python: numbered('5 trace', '10 debug', '20 info', '25 success', '30 warning', '40 error', '50 critical'),
  /** pino and bunyan write tens, Monolog (https://seldaek.github.io/monolog/doc/01-usage.html#log-levels) hundreds. */
  level: numbered(
    '10 trace',
    '20 debug',
    '30 info',
    '40 warn',
    '50 error',
    '60 fatal',
    '100 debug',
    '200 info',
    '250 notice',
    '300 warning',
    '400 error',
    '500 critical',
    '550 alert',
    '600 emergency',
  ),
  /** `LogSeverity` of Google Cloud: https://cloud.google.com/logging/docs/reference/v2/rest/v2/LogEntry#logseverity. */
  google: numbered(
    '0 default',
    '100 debug',
    '200 info',
    '300 notice',
    '400 warning',
    '500 error',
    '600 critical',
    '700 alert',
    '800 emergency',
  ),
  /** RFC 5424, 6.2.1. */
  syslog: numbered('0 fatal', '1 fatal', '2 fatal', '3 error', '4 warn', '5 info', '6 info', '7 debug'),
  /** Logback, and below it java.util.logging. */
  java: numbered(
    '300 trace',
    '400 trace',
    '500 debug',
    '700 debug',
    '800 info',
    '900 warn',
    '1000 error',
    '5000 trace',
    '10000 debug',
    '20000 info',
    '30000 warn',
    '40000 error',
  ),
  /** https://opentelemetry.io/docs/specs/otel/logs/data-model/#field-severitynumber: four numbers for each level. */
  opentelemetry: new Map(
    ['trace', 'debug', 'info', 'warn', 'error', 'fatal'].flatMap((level, index) =>
      [1, 2, 3, 4].map((step): [number, string] => [4 * index + step, level]),
    ),
  ),
} as const satisfies Readonly<Record<string, ReadonlyMap<number, string>>>;

/** Members that hold the name of a level. */
const NAMED_MEMBERS =
  `level severity log.level @l @level levelname level_name lvl loglevel log_level severity_text severityText LogLevel Level
  LevelDisplayName record.level.name`.split(/\s+/);
/** The offset of slog's `ERROR+2`. */
const OFFSET = /[+-]\d{1,3}$/;

/** Members whose numbers are levels of a scale: where any of `beside` is in the same record, or always. */
interface NumberedMember {
  readonly scale: LevelScale;
  readonly names: string;
  readonly beside?: string;
}

/** First match wins. A number under `level` alone is no evidence: it can be a measurement. */
const NUMBERED_MEMBERS: readonly NumberedMember[] = [
  { scale: 'python', names: 'levelno level_number record.level.no' },
  { scale: 'opentelemetry', names: 'severity_number severityNumber SeverityNumber' },
  { scale: 'java', names: 'level_value levelValue LevelValue' },
  { scale: 'syslog', names: 'PRIORITY syslog_severity syslogseverity log.syslog.severity.code syslog.severity.code' },
  // GELF, and the members of RFC 5424.
  {
    scale: 'syslog',
    names: 'level severity',
    beside: 'short_message facility syslog_facility procid PROCID SYSLOG_IDENTIFIER syslog_identifier',
  },
  // https://docs.python.org/3/library/logging.html#logrecord-attributes
  {
    scale: 'python',
    names: 'level',
    beside: 'funcName lineno pathname threadName processName asctime exc_info',
  },
  {
    scale: 'google',
    names: 'severity',
    beside: 'message textPayload jsonPayload protoPayload logName insertId logging.googleapis.com/trace',
  },
  {
    scale: 'level',
    names: 'level',
    beside: 'msg err error pid hostname channel stack',
  },
];
const NUMBERED = NUMBERED_MEMBERS.map(({ scale, names, beside }) => ({
  scale: SCALES[scale],
  names: names.split(' '),
  beside: beside?.split(' '),
}));
const NUMBER = /^\d{1,5}$/;

/** The level that a record says. */
export interface RecordLevel {
  /** The member that holds it. */
  readonly path: string;
  readonly level: string;
}

/** Returns the level of a number, also written as text; undefined for a number that the scale does not have. */
export function levelOnScale(scale: LevelScale, value: JsonValue | undefined): string | undefined {
  return levelIn(SCALES[scale], value);
}

/**
 * Finds the level of a log record: a name before a number, whose scale other members tell. `find` returns the value of a member, which may
 * be nested.
 */
export function findLevel(find: (path: string) => JsonValue | undefined): RecordLevel | undefined {
  return findNamedLevel(find) ?? findNumberedLevel(find);
}

function findNamedLevel(find: (path: string) => JsonValue | undefined): RecordLevel | undefined {
  for (const path of NAMED_MEMBERS) {
    const value = find(path);
    if (typeof value !== 'string' || levelSeverity(value) === 0) continue;
    return { path, level: value.trim().toLowerCase().replace(OFFSET, '') };
  }
  return undefined;
}

function findNumberedLevel(find: (path: string) => JsonValue | undefined): RecordLevel | undefined {
  for (const { scale, names, beside } of NUMBERED) {
    for (const path of names) {
      const level = levelIn(scale, find(path));
      if (level === undefined) continue;
      if (beside === undefined || beside.some((name) => find(name) !== undefined)) return { path, level };
    }
  }
  return undefined;
}

function levelIn(scale: ReadonlyMap<number, string>, value: JsonValue | undefined): string | undefined {
  if (typeof value === 'string') return NUMBER.test(value.trim()) ? scale.get(Number(value)) : undefined;
  return typeof value === 'number' ? scale.get(value) : undefined;
}

/** Each level is written as its number and its name. */
function numbered(...levels: readonly string[]): ReadonlyMap<number, string> {
  return new Map(
    levels.map((level): [number, string] => {
      const [number, name = ''] = level.split(' ');
      return [Number(number), name];
    }),
  );
}
