/** A metric of an expression with its label matchers. */
export interface Selector {
  readonly metric: string;
  readonly labels: readonly string[];
  /** Values of `=` and `!=` matchers, in the order of the expression. */
  readonly values: readonly { readonly label: string; readonly value: string }[];
}

/** Metrics and labels of a PromQL expression. */
export interface Expression {
  readonly selectors: readonly Selector[];
  readonly functions: readonly string[];
  /** Labels of all `by (…)` and `without (…)`. */
  readonly grouping: readonly string[];
}

const AGGREGATIONS = ['sum', 'min', 'max', 'avg', 'count', 'topk', 'bottomk', 'quantile'];
const FUNCTIONS = ['rate', 'irate', 'increase', 'histogram_quantile', 'abs', 'clamp_min', 'time', 'label_values'];
const WORDS = ['and', 'or', 'unless', 'on', 'ignoring', 'bool', 'offset'];
const TOKEN =
  /\s+|\[(?:\$__rate_interval|\d+[smhd])\]|\{(?<matchers>[^{}]*)\}|(?<word>[a-zA-Z_:][a-zA-Z0-9_:]*)|\d+(?:\.\d+)?|[()]|[-+*/,]|[=!<>]=|[<>]/y;
const MATCHER = /^\s*([a-zA-Z_]\w*)\s*(=~|!~|!=|=)\s*"((?:[^"\\]|\\.)*)"\s*$/;

/**
 * Tokenizes a PromQL expression and checks words, parentheses and matchers; it does not check what the query means. Throws on unknown
 * tokens.
 */
export function readPromql(text: string): Expression {
  const selectors: { metric: string; labels: string[]; values: { label: string; value: string }[] }[] = [];
  const functions: string[] = [];
  const grouping: string[] = [];
  let depth = 0;
  let groupingDepth: number | undefined;
  let at = 0;
  while (at < text.length) {
    TOKEN.lastIndex = at;
    const match = TOKEN.exec(text);
    if (match === null) throw new Error(`unknown at ${at}: ${text}`);
    const [token] = match;
    at += token.length;
    const { word, matchers } = match.groups ?? {};
    if (token === '(') depth += 1;
    if (token === ')') {
      if (depth === groupingDepth) groupingDepth = undefined;
      depth -= 1;
      if (depth < 0) throw new Error(`a ) too many: ${text}`);
    }
    if (matchers !== undefined) {
      for (const one of matchers.split(/,(?=\s*[a-zA-Z_]\w*\s*[=!])/)) {
        const [, label, operator = '', value = ''] = MATCHER.exec(one) ?? [];
        if (label === undefined) throw new Error(`no matchers: {${matchers}}`);
        selectors.at(-1)?.labels.push(label);
        if (!operator.endsWith('~')) selectors.at(-1)?.values.push({ label, value });
      }
    }
    if (word === undefined) continue;
    if (groupingDepth !== undefined) grouping.push(word);
    else if (word === 'by' || word === 'without') groupingDepth = depth + 1;
    else if (AGGREGATIONS.includes(word) || FUNCTIONS.includes(word)) functions.push(word);
    else if (!WORDS.includes(word)) selectors.push({ metric: word, labels: [], values: [] });
  }
  if (depth !== 0) throw new Error(`a ( too many: ${text}`);
  return { selectors, functions, grouping };
}
