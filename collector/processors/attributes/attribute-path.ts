/** Event fields that are always strings. */
const REQUIRED_FIELDS = ['error_name', 'message', 'route'] as const;
/** Event fields that are strings or null. */
const NULLABLE_FIELDS = ['level', 'method', 'release', 'request_id', 'session_id', 'stack', 'user_id'] as const;

/** Fields that a key can name. */
export const ATTRIBUTE_FIELDS: readonly string[] = [...REQUIRED_FIELDS, ...NULLABLE_FIELDS];

/** The target of an action's `key`. */
export type AttributePath =
  | { readonly kind: 'tag'; readonly name: string }
  /** A path through nested objects. */
  | { readonly kind: 'extra'; readonly names: readonly [string, ...string[]] }
  /** `empty` is the value of a field that is not there. */
  | { readonly kind: 'field'; readonly field: (typeof REQUIRED_FIELDS)[number]; readonly empty: '' }
  | { readonly kind: 'field'; readonly field: (typeof NULLABLE_FIELDS)[number]; readonly empty: null };

/** Limit of names in a path: created objects must stay within the accepted depth. */
const MAX_NAMES = 16;

/** Parses a key; returns the problem if it is invalid. */
export function parseAttributePath(key: string): AttributePath | { readonly problem: string } {
  const [first = '', ...names] = namesOf(key);
  if (names.length === 0) {
    const required = REQUIRED_FIELDS.find((field) => field === first);
    if (required !== undefined) return { kind: 'field', field: required, empty: '' };
    const nullable = NULLABLE_FIELDS.find((field) => field === first);
    if (nullable !== undefined) return { kind: 'field', field: nullable, empty: null };
  }
  if (first === 'tags' && names.length > 0) {
    // A tag has no members: dots in its name need no backslash.
    const name = names.join('.');
    return name === '' ? { problem: 'names no tag behind "tags."' } : { kind: 'tag', name };
  }
  const [name, ...rest] = names;
  if (first === 'extra' && name !== undefined) {
    if (names.some((one) => one === '')) return { problem: 'has an empty name between its dots' };
    if (names.length > MAX_NAMES) return { problem: `has more than ${MAX_NAMES} names` };
    return { kind: 'extra', names: [name, ...rest] };
  }
  return { problem: `is none of tags.NAME, extra.NAME, ${ATTRIBUTE_FIELDS.join(', ')}` };
}

/** The names between dots; `\.` is a dot and `\\` a backslash in a name. */
function namesOf(key: string): string[] {
  const names: string[] = [];
  let name = '';
  for (let at = 0; at < key.length; at += 1) {
    const sign = key[at] ?? '';
    if (sign === '\\' && (key[at + 1] === '.' || key[at + 1] === '\\')) {
      at += 1;
      name += key[at];
    } else if (sign === '.') {
      names.push(name);
      name = '';
    } else name += sign;
  }
  return [...names, name];
}
