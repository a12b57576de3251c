import { GENERATED_NAME_PATTERNS } from './patterns/generated-name-patterns.js';
import { ACCOUNT_PATTERNS, IDENTIFIER_PATTERNS } from './patterns/identifier-patterns.js';
import { KEPT_PATTERNS } from './patterns/kept-patterns.js';
import { ADDRESS_PATTERNS, PATH_PATTERNS } from './patterns/location-patterns.js';
import type { MessagePattern } from './patterns/message-pattern.js';
import { COMMON_PATTERNS, DATE_PATTERNS, NUMBER_PATTERNS, QUANTITY_PATTERNS } from './patterns/quantity-patterns.js';
import { JSON_PATTERNS, KEY_VALUE_PATTERNS, QUOTED_PATTERNS } from './patterns/structure-patterns.js';

/** All rows; the first that matches at a token decides. */
export const MESSAGE_PATTERNS: readonly MessagePattern[] = [
  ...KEPT_PATTERNS,
  ...ACCOUNT_PATTERNS,
  ...JSON_PATTERNS,
  ...COMMON_PATTERNS,
  ...GENERATED_NAME_PATTERNS,
  ...QUOTED_PATTERNS,
  ...KEY_VALUE_PATTERNS,
  ...DATE_PATTERNS,
  ...ADDRESS_PATTERNS,
  ...IDENTIFIER_PATTERNS,
  ...QUANTITY_PATTERNS,
  ...PATH_PATTERNS,
  ...NUMBER_PATTERNS,
];

/** Names that switch rows off, sorted. They are a public interface: never rename one. */
export const PATTERN_NAMES: readonly string[] = [...new Set(MESSAGE_PATTERNS.map(({ name }) => name))].sort();
