import { hash } from 'node:crypto';
import { cutText } from '../event/cut-text.js';
import { plainText } from './plain-text.js';

const MAX_NAME = 256;

/** Names that say only that something failed, in lower case and without their namespace. */
const GENERIC_NAMES: ReadonlySet<string> = new Set([
  '',
  'error',
  'exception',
  'throwable',
  'failure',
  'fault',
  'log',
  'log message',
  'message',
  'event',
  'unknown',
  'unknown error',
  'unknownerror',
  'unnamed',
  'none',
  'null',
  'undefined',
  'object',
  'string',
  'n/a',
  '-',
  'unhandledrejection',
  'unhandled rejection',
  'uncaughtexception',
  'uncaught exception',
]);

/** Namespaces in which `Error`, `Exception` and `Throwable` are the language's own root types. */
const ROOT_NAMESPACE = /^(?:java\.lang|system|builtins|kotlin|scala)\./;

/** A name of an error in plain text; a very long one is cut and ends in a hash, so that two long names never become one. */
export function plainErrorName(name: string): string {
  const plain = plainText(name);
  if (plain.length <= MAX_NAME) return plain;
  return `${cutText(plain, MAX_NAME)}…${hash('sha256', plain).slice(0, 16)}`;
}

/** Whether any failure may have a name, so that it tells none from another. */
export function isNamelessError(plainName: string): boolean {
  return GENERIC_NAMES.has(plainName.toLowerCase().replace(ROOT_NAMESPACE, ''));
}
