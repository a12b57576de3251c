import type { Access } from '../../core/reader.js';
import { isBoolean, recordOf } from './check.js';

/** `GET /access`. */
export const isAccess = recordOf<Access>({ actions: isBoolean });
