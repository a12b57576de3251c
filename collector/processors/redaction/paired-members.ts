/** By the key of a value, the keys that can hold its name: `{"key": "DB_PASSWORD", "value": "x"}`. */
const NAMES_BY_VALUE: ReadonlyMap<string, readonly string[]> = new Map([
  ['value', ['name', 'key', 'header', 'field', 'param', 'parameter', 'property', 'variable', 'option', 'k']],
  ['Value', ['Name', 'Key', 'Header', 'Field', 'Parameter', 'Property', 'Variable']],
  ['VALUE', ['NAME', 'KEY']],
  ['val', ['name', 'key', 'k']],
  ['v', ['k', 'key', 'name', 'n']],
  ['V', ['K']],
  ['content', ['name', 'property', 'key']],
  ['stringValue', ['name', 'key']],
  ['ParameterValue', ['ParameterKey', 'ParameterName']],
  ['parameterValue', ['parameterKey', 'parameterName']],
  ['headerValue', ['headerName', 'header']],
  ['attributeValue', ['attributeName', 'attributeKey']],
  ['OptionValue', ['OptionName']],
]);

/** Keys of the names of cookies and their values. */
const COOKIE_NAMES: readonly string[] = ['name', 'Name', 'key', 'Key'];
const COOKIE_VALUES: readonly string[] = ['value', 'Value'];
/** Names of lists in which names and values alternate, such as Node's `rawHeaders`. */
const ALTERNATING = /(?:headers?|trailers?|params|query|pairs)$/i;

/** Returns the keys that can hold the name of the value under `key`; undefined if `key` itself is the name. */
export function namesOfValue(key: string): readonly string[] | undefined {
  return NAMES_BY_VALUE.get(key);
}

/** Returns the name that another member gives to a value; undefined if none does. */
export function nameOfPaired(values: Readonly<Record<string, unknown>>, names: readonly string[]): unknown {
  const name = names.find((one) => Object.hasOwn(values, one));
  return name === undefined ? undefined : values[name];
}

/** Returns the index of the name of value `at` in a list: the one before it in pairs, argument lists and alternating lists, else undefined. */
export function indexOfName(values: readonly unknown[], at: number, listName: string): number | undefined {
  if (at === 0) return undefined;
  const before = values[at - 1];
  if (typeof before !== 'string') return undefined;
  if (values.length === 2 || isOption(before)) return at - 1;
  return at % 2 === 1 && values.length % 2 === 0 && ALTERNATING.test(listName) ? at - 1 : undefined;
}

/** Whether a list item is a long option whose value is the next item, such as `--password`. */
export function isOption(text: unknown): boolean {
  return typeof text === 'string' && text.startsWith('--') && text.length <= 64 && !text.includes('=');
}

/** Whether the first item of a pair in a list of cookies is the name of one. */
export function isCookieName(text: unknown): boolean {
  return typeof text === 'string' && text.length <= 128 && !/[=;\s]/.test(text);
}

/** Whether an object gives a name and a value: `{"name": "sid", "value": "x", "path": "/"}`. */
export function isNamedValue(values: Readonly<Record<string, unknown>>): boolean {
  const has = (key: string) => Object.hasOwn(values, key);
  return COOKIE_NAMES.some(has) && COOKIE_VALUES.some(has);
}
