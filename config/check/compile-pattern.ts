const expressions = new Map<string, RegExp>();

function expressionOf(pattern: string): RegExp {
  const expression = expressions.get(pattern) ?? new RegExp(pattern, 'u');
  expressions.set(pattern, expression);
  return expression;
}

/** The ids of the components of one type, such as `^otlp(/[^\\p{Z}]+)?$`. */
const IDS_OF_TYPE = /^\^(\w+)\((.+)\)\?\$$/;

/** Compiles a pattern of a schema. The type in an id is compared as text, because expressions with Unicode classes for all types slow the start. */
export function compilePattern(pattern: string): Pick<RegExp, 'test'> {
  const [, type, name] = IDS_OF_TYPE.exec(pattern) ?? [];
  if (type === undefined) return expressionOf(pattern);
  return {
    test: (id) => id === type || (id.startsWith(`${type}/`) && expressionOf(`^${name}$`).test(id.slice(type.length))),
  };
}
