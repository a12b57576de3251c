import { ACCOUNT_PATTERNS } from './message-patterns/account-patterns.js';
import { COMMON_PATTERNS } from './message-patterns/common-patterns.js';
import { KEPT_PATTERNS } from './message-patterns/kept-patterns.js';
import { KEY_VALUE_PATTERNS } from './message-patterns/key-value-patterns.js';
import type { MessagePattern } from './message-patterns/message-pattern.js';
import { NETWORK_PATTERNS } from './message-patterns/network-patterns.js';
import { NUMBER_PATTERNS } from './message-patterns/number-patterns.js';
import { PATH_PATTERNS } from './message-patterns/path-patterns.js';
import { QUOTED_PATTERNS } from './message-patterns/quoted-patterns.js';
import { TIME_PATTERNS } from './message-patterns/time-patterns.js';

/** All kinds of values in messages; at each token the first row that matches decides. */
export const MESSAGE_PATTERNS: readonly MessagePattern[] = [
  ...KEPT_PATTERNS,
  ...ACCOUNT_PATTERNS,
  ...COMMON_PATTERNS,
  ...QUOTED_PATTERNS,
  ...KEY_VALUE_PATTERNS,
  ...TIME_PATTERNS,
  ...NETWORK_PATTERNS,
  ...PATH_PATTERNS,
  ...NUMBER_PATTERNS,
];
