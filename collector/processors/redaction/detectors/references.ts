import { secretName } from './secret-names.js';

/** Types: `password: str`. */
const TYPES =
  /^[&*?\]]{0,2}(?:\[\]){0,2}(?:str|string|int|integer|float|double|bool|boolean|bytes?|bytearray|char|text|any|unknown|void|never|varchar|number|uuid|u?int(?:8|16|32|64)|SecretStr|Optional|Option|Maybe|Union|Nullable|Promise|Annotated|KeyObject|CryptoKey|Token)(?:[[(<]\w{1,40})?(?:[!?\])]|\[\]){0,3}$/i;
const PARTS = /[.:>$@/]/;
/** Member access in code: `config.password`. */
const PATH = /^(?:[$@]\w{1,40}|[$@]?([A-Za-z_]\w{0,40})(?:(?:\?\.|\.|::|->)[$#]?[A-Za-z_]{1,40}\d{0,2}){1,8}!?)$/;
const LAST_PART = /[A-Za-z_]\w*(?=!?$)/;
const CALLEE = /^[$@]?[A-Za-z_]\w{0,40}(?:(?:\?\.|\.|::|->)[A-Za-z_]\w{0,40}){0,8}[!?]?$/;
/** Names of objects that programs read values from. */
const HOLDERS: ReadonlySet<string> = new Set(
  (
    'process os env environ this self req request res response config configuration settings cfg conf props params options opts ' +
    'args argv ctx context state user body event data form values system vars var local module each deno bun credentials ' +
    'account input payload session store kwargs flags query headers cookies document window crypto getpass secrets uuid bcrypt ' +
    'hashlib import item row record entity client app auth'
  ).split(' '),
);
/** Functions whose argument names a value: `getenv("DB_PASSWORD")`. */
const READS =
  /(?:^|[._:>])(?:get[a-z]*|[a-z]*env|fetch|lookup|read|load|require|prompt|input|find|translate|gettext|i18n|t|__|config|param|resolve|property)$/i;
/** Resource names of cloud secrets. */
const RESOURCE = /^(?:arn:aws|projects\/[\w-]{1,64}\/(?:secrets|locations)\/)/;
const BIND_PARAMETER = /^(?:\?\d{0,3}|\$\d{1,3}|[:@](?:[a-z_]{1,40}|p\d{1,2})|\{\d{0,2}\}?)$/i;

/** Whether an unquoted value names the value instead of being one: a type, a member access, a bind parameter. */
export function isReference(value: string): boolean {
  if (value.length > 128 || (value.length > 20 && !PARTS.test(value))) return false;
  if (TYPES.test(value) || BIND_PARAMETER.test(value) || RESOURCE.test(value)) return true;
  const path = PATH.exec(value);
  if (path === null) return false;
  if (path[1] !== undefined && HOLDERS.has(path[1].toLowerCase())) return true;
  return secretName(LAST_PART.exec(value)?.[0] ?? '') !== undefined;
}

/** Whether the text before a bracket names a function or a map. */
export function isCallee(text: string): boolean {
  return CALLEE.test(text);
}

/** Whether the argument of a function names a value, so that it is not a secret. */
export function isReader(callee: string): boolean {
  return READS.test(callee);
}
