/** Digits with separators of thousands and of decimals as any country writes them: `1,234.5`, `1.234,5`, `1 234,5`, `1'234.5`. */
export const NUMBER =
  "\\d+(?:(?:[.,']\\d+){1,6}|(?<=(?<![\\w.])\\d{1,3})(?: \\d{3})+(?!\\d)(?:,\\d+)?)?(?:[eE][-+]?\\d+)?";

/** A sign that belongs to the number behind it. */
export const SIGN = '(?:(?<![\\w)\\]])[-+\\u2212])?';
