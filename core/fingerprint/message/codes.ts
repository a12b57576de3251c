/** A form in which messages name a code: a constant, an error name, a state. */
interface CodeRow {
  /** Tried where a word begins; without capturing groups. */
  readonly pattern: RegExp;
  readonly reason: string;
  /** Messages with the code that is found in them. */
  readonly examples: Readonly<Record<string, string>>;
}

/** Codes of goods, places and people are values. */
const DATA =
  '(?:access|account|activation|airport|area|article|auth(?:entication|orization)?|bank|bar|booking|branch|confirmation|country|coupon|course|currency|customer|de|dial(?:ing)?|discount|en|geo|gift|invitation|invite|item|language|login|order|pass|pin|post(?:al)?|product|promo(?:tion(?:al)?)?|qr|recovery|referral|room|security|sms|sort|store|tax|tracking|uni|user|verification|voucher|zip)';

/** Source of a lookbehind: what follows is the code of a failure, not of a product or a place. */
export const NOT_CODE_OF_DATA = `(?<!\\b${DATA}[ _-]?[Cc]ode\\W+)`;

const CAMEL = '[A-Z][a-z\\d]{1,30}(?:[A-Z][a-z\\d]{1,30}){1,8}';
/** Lower-case words joined by `_` or `-`. */
const JOINED = '[a-z]{2,30}(?:[_-][a-z]{2,30}){1,8}';
const LEVEL = '(?:ERROR|FATAL|WARNING|CRITICAL|PANIC|NOTICE|ALERT|DEBUG|EXCEPTION)';
const STATE = `(?!${LEVEL}\\b)[A-Z]{5,30}`;

/** Codes are names of a catalogue: two of them are two failures, also in one function. */
export const CODE_ROWS: readonly CodeRow[] = [
  {
    pattern: /(?<![\w$])(?:[A-Za-z]\w{0,60}\.)?_?[A-Z][A-Z\d]{0,40}(?:_[A-Z\d]{1,40}){1,12}(?!\w)/,
    reason: 'A constant in capitals is a name of the program or of a protocol.',
    examples: { 'lookup failed: StatusCode.NOT_FOUND': 'StatusCode.NOT_FOUND', 'net::ERR_TIMED_OUT': 'ERR_TIMED_OUT' },
  },
  {
    pattern: new RegExp(
      `(?<![\\w$.])(?:[A-Za-z]\\w{0,60}\\.)?(?!${LEVEL}\\b)(?:SIG[A-Z]{2,6}|E[A-Z]{3,15}|EIO)(?!\\w)`,
    ),
    reason: 'Signals and error numbers of POSIX have names in capitals.',
    examples: { 'write EPIPE': 'EPIPE', 'worker killed by SIGKILL': 'SIGKILL' },
  },
  {
    pattern: new RegExp(`^${STATE}(?= |$)|(?<=: )${STATE}(?= [A-Z][a-z]|$)|(?<![\\w$.])${STATE}(?=: )`),
    reason: 'Redis and gRPC begin a message with the state; shorter words may be the name of a share or a country.',
    examples: { 'READONLY the replica is read only': 'READONLY', '14 UNAVAILABLE: no connection': 'UNAVAILABLE' },
  },
  {
    pattern: new RegExp(`(?<![\\w$.])${CAMEL}(?<!Error|Exception)(?=: )`),
    reason: 'Services name an error in one word before a colon; a type of the program is no code.',
    examples: { 'NoSuchKey: the key does not exist': 'NoSuchKey' },
  },
  {
    pattern: new RegExp(`(?<=[(\\[])${CAMEL}(?=[)\\]])|(?<=<Code>)${CAMEL}(?=<)`),
    reason: 'Services of Amazon name an error in brackets, or in XML.',
    examples: {
      'error (ThrottlingException) when calling': 'ThrottlingException',
      '<Code>AccessDenied</Code>': 'AccessDenied',
    },
  },
  {
    pattern: /^[a-z]{1,30}(?:[A-Z][a-z\d]{1,30}){1,8}(?=$|: )/,
    reason: 'Services of Google name an error in one word, alone or first.',
    examples: { quotaExceeded: 'quotaExceeded', 'rateLimitExceeded: slow down': 'rateLimitExceeded' },
  },
  {
    pattern: new RegExp(
      `(?:^|(?<=(?:Error|Exception)\\())${JOINED}(?=$|: |[,)])|(?<=[Ee]rror: )(?:${JOINED}|${CAMEL})$|(?<="error" ?: ?")${JOINED}(?=")`,
    ),
    reason: 'OAuth and payment services name an error in joined words, alone, first, after the type or in JSON.',
    examples: {
      invalid_grant: 'invalid_grant',
      'CardError: card_declined': 'card_declined',
      '{"error":"invalid_scope"}': 'invalid_scope',
    },
  },
  {
    pattern: /(?<![\w$.])(?:[a-z]{1,30}_){1,8}(?:error|exception)(?!\w)/,
    reason: 'Elasticsearch names the type of an error in joined words.',
    examples: { 'search: index_not_found_exception': 'index_not_found_exception' },
  },
  {
    pattern: /\b[A-Za-z]\w{1,60}ErrorDomain(?!\w)/,
    reason: 'Apple names the catalogue of an error number.',
    examples: { 'failed (NSURLErrorDomain error -1009.)': 'NSURLErrorDomain' },
  },
  {
    pattern: /(?<=[([])[a-z][\w-]{1,30}\/[a-z]{1,30}(?:-[a-z]{1,30}){0,8}(?=[)\]])/,
    reason: 'Firebase writes its service and the error in brackets.',
    examples: { 'Error (auth/invalid-email).': 'auth/invalid-email' },
  },
  {
    pattern: new RegExp(
      `(?<=(?:[Cc]ode|CODE|[Ss]tatus|errno|\\bsignal)["']?(?: ?[:=] ?["']?|[(\\[]))${NOT_CODE_OF_DATA}[A-Za-z][\\w./-]{0,60}\\w|(?<=\\b(?:[Cc]ode|[Ss]tatus) )${NOT_CODE_OF_DATA}(?:${CAMEL}|[A-Z]{4,30}(?!\\w))`,
    ),
    reason: 'The word after code, status or errno.',
    examples: { 'rpc error: code = Unavailable': 'Unavailable', 'failed: code UNAUTHENTICATED': 'UNAUTHENTICATED' },
  },
];

/** All rows as one pattern: as each begins with a word, they are tried only there. */
export const ANY_CODE = new RegExp(`\\b(?=[A-Za-z_])(?:${CODE_ROWS.map(({ pattern }) => pattern.source).join('|')})`);

/** Matches wherever a row may match; most messages do not. */
export const MAY_HOLD_CODE =
  /[A-Z]{3}|[A-Z\d]_|[a-z\d][A-Z]|[a-z][_-][a-z]|[\w-]\/[a-z]|(?:[Cc]ode|CODE|[Ss]tatus|errno|signal)["']?(?: ?[:=]|[([])/;
