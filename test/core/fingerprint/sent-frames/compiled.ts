import type { JsonObject } from '../../../../core/event/json.js';
import { frame, numberOf, sentEvent } from './sent-event.js';

/*
 * Go: the package is the module; frames of the runtime are not sent. Rust: all but the standard library is the application's. C and C++:
 * no marks, the image is the package.
 */

const GO_CALL = /^(?:created by )?(\S.*?)(?:\([^()]*(?:\([^()]*\)[^()]*)*\))?(?: in goroutine \d+)?$/;
const GO_PLACE = /^\t(.+):(\d+)(?: \+0x[0-9a-f]+)?$/;

/** Makes what the SDK of Go sends: the stack of the goroutine that failed. */
export function sentByGo(type: string, message: string, stack: string): JsonObject {
  const frames: JsonObject[] = [];
  const [, goroutine = ''] = stack.split(/^goroutine \d+ .*$/m);
  const lines = goroutine.split('\n');
  for (const [at, line] of lines.entries()) {
    const [, path, row] = GO_PLACE.exec(line) ?? [];
    const [, whole = ''] = GO_CALL.exec(lines[at - 1] ?? '') ?? [];
    if (path === undefined || lines[at - 1]?.startsWith('created by ')) continue;
    const dot = whole.indexOf('.', whole.lastIndexOf('/') + 1);
    const module = whole.slice(0, Math.max(dot, 0));
    if (whole === 'panic' || module === 'runtime') continue;
    frames.push(
      frame({
        function: whole.slice(dot + 1),
        module,
        abs_path: path,
        lineno: numberOf(row),
        in_app: !path.startsWith('/usr/local/go/') && !path.includes('/pkg/mod/'),
      }),
    );
  }
  return sentEvent('go', { type, value: message, frames, behind: [] });
}

/** Makes what the SDK of Rust sends. */
export function sentByRust(type: string, message: string, stack: string): JsonObject {
  const frames: JsonObject[] = [];
  const lines = stack.split('\n');
  for (const [at, line] of lines.entries()) {
    const [, name] = /^ *\d+: (?:0x[0-9a-f]+ - )?(.+?)(?:::h[0-9a-f]{16})?$/.exec(line) ?? [];
    if (name === undefined) continue;
    const [, path, row, column] = /^ +at (.+?):(\d+)(?::(\d+))?$/.exec(lines[at + 1] ?? '') ?? [];
    frames.push(
      frame({
        function: name,
        abs_path: path,
        filename: path?.split('/').at(-1),
        lineno: numberOf(row),
        colno: numberOf(column),
        in_app: !/^(?:std|alloc)::/.test(name),
      }),
    );
  }
  return sentEvent('native', { type, value: message, frames, behind: [] });
}

const NUMBERED =
  /^ *#\d+ (0x[0-9a-f]+) (?:in (.+?) )?(?:\((.+)\+0x[0-9a-f]+\)|(\S+?):(\d+)(?::\d+)?|\((.+)\))?(?: \(BuildId: \w+\))?$/;

/** As `backtrace_symbols` writes it. */
const IMAGE = /^(\S+)\((\w+)?\+0x[0-9a-f]+\) ?\[(0x[0-9a-f]+)\]$/;

/** Makes what the SDK of C and C++ sends of the first stack of a report. */
export function sentByNative(type: string, message: string, stack: string): JsonObject {
  const frames: JsonObject[] = [];
  for (const line of stack.split('\n')) {
    const [, ownImage, symbol, ownAddress] = IMAGE.exec(line) ?? [];
    if (ownImage !== undefined)
      frames.push(frame({ instruction_addr: ownAddress, function: symbol, package: ownImage }));
    if (ownImage !== undefined) continue;
    const [, address, name, image, path, row] = NUMBERED.exec(line) ?? [];
    if (address === undefined && frames.length > 0) break;
    if (address === undefined) continue;
    const read = { instruction_addr: address, function: name, package: image, abs_path: path, lineno: numberOf(row) };
    frames.push(frame({ ...read, filename: path?.split('/').at(-1) }));
  }
  // A sanitizer tells addresses behind its type, an SDK does not.
  const value = stack.includes('Sanitizer: ') ? '' : message;
  return sentEvent('native', { type, value, frames, behind: [] });
}
