/** Members that say what the other one is called: `{"key": "DB_PASSWORD", "value": "x"}`. By the member with the value those with the name. */
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

/** Names of lists such as Node's `rawHeaders`, in which names and values take turns. */
const TAKE_TURNS = /(?:headers?|trailers?|params|query|pairs)$/i;

/** Under which keys the name of the value under `key` may stand; undefined where it is a name itself. */
export function namesOfValue(key: string): readonly string[] | undefined {
  return NAMES_BY_VALUE.get(key);
}

/** The name that another member gives to a value; undefined where none does. */
export function nameOfPaired(values: Readonly<Record<string, unknown>>, names: readonly string[]): unknown {
  const name = names.find((one) => Object.hasOwn(values, one));
  return name === undefined ? undefined : values[name];
}

/** Where in a list the name of the value at `at` stands: in front of it in `["Cookie", "a=b"]`, in argument lists and where names and values take turns. */
export function placeOfName(values: readonly unknown[], at: number, listName: string): number | undefined {
  if (at === 0) return undefined;
  const before = values[at - 1];
  if (typeof before !== 'string') return undefined;
  if (values.length === 2 || isOption(before)) return at - 1;
  return at % 2 === 1 && values.length % 2 === 0 && TAKE_TURNS.test(listName) ? at - 1 : undefined;
}

/** `--password` of a command whose value is the next argument. */
export function isOption(text: unknown): boolean {
  return typeof text === 'string' && text.startsWith('--') && text.length <= 64 && !text.includes('=');
}
