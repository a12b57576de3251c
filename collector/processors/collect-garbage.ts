import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

/**
 * Creates a function that runs a full garbage collection, which blocks the process. V8 exposes `gc` to contexts created after its flag is
 * set, so no command-line flag is needed.
 */
export function createGarbageCollection(): () => void {
  let collect: (() => void) | undefined;
  return () => {
    collect ??= openCollector();
    collect();
  };
}

function openCollector(): () => void {
  setFlagsFromString('--expose-gc');
  const collect: unknown = runInNewContext('gc');
  setFlagsFromString('--no-expose-gc');
  return typeof collect === 'function' ? () => void collect() : () => {};
}
