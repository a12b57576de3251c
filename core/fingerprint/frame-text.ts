import { projectFile } from './frame-file.js';
import type { StackFrame } from './frames.js';

/** What of a frame is hashed: module and function, or function and file where the family writes no modules. Never empty for a frame with a name or a file. */
export function frameKey(frame: StackFrame): string {
  if (frame.module === null) return frameLabel(frame);
  return frame.function === null ? frame.module : `${frame.module}.${frame.function}`;
}

/** A frame as people read it in a list: `Class.function (file)`. */
export function frameLabel(frame: StackFrame): string {
  const file = frame.file === null ? null : projectFile(frame.file);
  const owner = frame.module === null ? '' : lastPart(frame.module);
  const called = frame.function ?? '';
  const name = owner === '' || called === '' ? `${owner}${called}` : `${owner}.${called}`;
  if (file === null) return name;
  return name === '' ? file : `${name} (${file})`;
}

/** The class of `com.acme.Cart`, the package of `example.com/shop/stock`. */
function lastPart(module: string): string {
  return module.slice(Math.max(module.lastIndexOf('.'), module.lastIndexOf('/')) + 1);
}
