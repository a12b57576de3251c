/** A statement begins here, in a message that may have other words before and after it. */
const STATEMENT =
  /\b(?:SELECT\s+(?:DISTINCT\s+)?(?:\*|["`[]?\w{1,60}["`\]]?(?:\s*[,(.]|\s+(?:AS|FROM)\s))|INSERT\s+INTO\s|UPDATE\s+["`[]?[\w."`[\]]{1,120}\s+SET\s|DELETE\s+FROM\s)/i;
/** Faster than the pattern: most messages have none of these words. */
const WORDS = ['FROM', 'from', 'INTO', 'into', 'SET', ' set '];

const KEYWORDS =
  'select|distinct|from|where|and|or|not(?= (?:null|in|exists|like|ilike|between)\\b)|in|is(?= (?:not )?null\\b)|null|like|ilike|between|exists|as|on|using|join|inner|left|right|full|outer|cross|group|order|by|having|limit|offset|union|insert|into|values|update|set|delete|returning|asc|desc|case|when|then|else';
/** Where a value, not a name, may stand. */
const BEFORE_VALUE = '(?<=[=<>(,+*/|-] ?|\\b(?:LIKE|IN|BETWEEN|AND|LIMIT|OFFSET|THEN|ELSE|SET|VALUES) )';
const LITERAL = "(?:[EN]?'(?:[^']|''){0,2000}'|-?\\d{1,40}(?:\\.\\d{1,40})?(?![\\w.]))";
const PLACEHOLDER =
  '(?:\\?\\d{0,4}|\\$\\d{1,4}|(?<![:\\w]):[A-Za-z_]\\w{0,60}|@[A-Za-z_]\\w{0,60}|%s|%\\(\\w{1,60}\\)s)';
/** Where a name, not a text, may stand. */
const BEFORE_NAME = '(?<=[.,(] ?|\\b(?:FROM|JOIN|INTO|UPDATE|SELECT|DISTINCT|BY|WHERE|AND|OR|ON|SET|AS) )';
const QUOTED_NAME = '(?:"(\\w{1,120})"|`(\\w{1,120})`|\\[([A-Za-z_]\\w{0,120})\\])';

/** In order. `0` stands for every value. */
const STEPS: readonly (readonly [pattern: RegExp, becomes: string | ((text: string) => string)])[] = [
  [/\s+/g, ' '],
  [new RegExp(`\\b(?:${KEYWORDS})\\b`, 'gi'), (word) => word.toUpperCase()],
  [new RegExp(`${BEFORE_VALUE}(?:${LITERAL}|${PLACEHOLDER})`, 'g'), '0'],
  [new RegExp(`${BEFORE_NAME}${QUOTED_NAME}`, 'g'), '$1$2$3'],
  [/ ?(<>|[<>!]=|[=<>,()]) ?/g, '$1'],
  [/\(0(?:,0)+\)/g, '(0)'],
  [/(?:\(0\),)+\(0\)/g, '(0)'],
  // A parenthesis is not the call of a function after these words.
  [/\b(IN|VALUES|FROM|JOIN|ON|AND|OR|WHERE|NOT)\(/g, '$1 ('],
];

/** False for most texts without a statement. */
export function mayHoldStatement(text: string): boolean {
  return WORDS.some((word) => text.includes(word));
}

/** Where a statement of SQL begins in a text; -1 without one. */
export function statementAt(text: string): number {
  return text.search(STATEMENT);
}

/** A line with its statement in one writing: case of keywords, quotes of names, white space, placeholders and lists do not count. */
export function uniformSql(line: string): string {
  const at = mayHoldStatement(line) ? statementAt(line) : -1;
  if (at < 0) return line;
  let sql = line.slice(at);
  for (const [pattern, becomes] of STEPS) sql = sql.replace(pattern, becomes as string);
  return line.slice(0, at) + sql;
}
