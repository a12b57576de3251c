import { createTextLine } from './text-line.js';
import type { TraceReading } from './trace-family.js';
import { createTracks } from './tracks.js';

/** Name and message of the error whose stack trace a text is; undefined when it has the form of none. */
export function readStackText(stack: string): Pick<TraceReading, 'errorName' | 'message'> | undefined {
  const tracks = createTracks();
  let place = 0;
  for (const printed of stack.split('\n')) {
    const [found] = tracks.push(createTextLine(printed, { from: place, to: place + 1 }));
    if (found !== undefined) return namedBy(found.value);
    place += 1;
  }
  const [found] = tracks.settle();
  return found === undefined ? undefined : namedBy(found.value);
}

function namedBy(value: Readonly<Record<string, unknown>>): Pick<TraceReading, 'errorName' | 'message'> {
  return { errorName: String(value['error_name']), message: String(value['message']) };
}
