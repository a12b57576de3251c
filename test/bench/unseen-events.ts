import type { RawPayload } from '../../core/event/raw-payload.js';
import { sampleEvent } from './sample-events.js';
import { word } from './word.js';

/** The stack format of an event. */
export type StackFamily = 'v8' | 'java';

const FRAMES = 18;
/** Index of the first frame that called the application. */
const FIRST_OUTER = 11;
/** The number of innermost library frames cycles from 0 to one less than this. */
const LIBRARY_FRAMES = 4;
const OUTER_FRAMES: Readonly<Record<StackFamily, readonly string[]>> = {
  v8: [
    'process.processTicksAndRejections (node:internal/process/task_queues:95:5)',
    'Layer.handle (/srv/shop/node_modules/express/lib/router/layer.js:95:5)',
    'Socket.emit (node:events:519:28)',
  ],
  java: [
    'java.base/java.lang.reflect.Method.invoke(Method.java:580)',
    'org.example.web.FilterChain.doFilter(FilterChain.java:162)',
    'java.base/java.lang.Thread.run(Thread.java:1583)',
  ],
};
const MESSAGES: readonly ((serial: number) => string)[] = [
  (serial) => `order ${serial} of customer ${serial * 7} failed after ${serial % 3000} ms`,
  (serial) => `Cannot read properties of undefined (reading '${word(serial)}')`,
  (serial) => `connect ECONNREFUSED 10.0.${serial % 250}.7:5432`,
  () => 'Request failed with status code 502',
];
const TYPES: Readonly<Record<StackFamily, readonly string[]>> = {
  v8: ['TypeError', 'Error', 'PaymentDeclinedError', 'UpstreamError'],
  java: [
    'java.lang.IllegalStateException',
    'org.example.shop.PaymentDeclinedException',
    'org.example.shop.StockException',
  ],
};

/** Returns an event of 18 frames of a library, of the application and of its callers, with functions and files that are unique for each `serial`. */
export function unseenEvent(family: StackFamily, serial: number): RawPayload {
  const types = TYPES[family];
  const type = types[serial % types.length] ?? '';
  const message = MESSAGES[serial % MESSAGES.length]?.(serial) ?? '';
  const frames = Array.from({ length: FRAMES }, (_, depth) => frameAt(family, serial, depth));
  return {
    ...sampleEvent(0, serial),
    error_name: type,
    message,
    stack: [`${type}: ${message}`, ...frames.map((frame) => `    at ${frame}`)].join('\n'),
  };
}

function frameAt(family: StackFamily, serial: number, depth: number): string {
  const outer = OUTER_FRAMES[family];
  if (depth >= FIRST_OUTER) return outer[depth % outer.length] ?? '';
  const name = word(serial * FRAMES + depth);
  const line = 10 + ((serial + depth) % 700);
  const isLibrary = depth < Math.floor(serial / MESSAGES.length) % LIBRARY_FRAMES;
  if (family === 'java') {
    if (isLibrary) return `java.base/java.util.${name}.forEach(${name}.java:${line})`;
    return `org.example.shop.${name}.${name}Service.load(${name}Service.java:${line})`;
  }
  if (isLibrary) return `Client.${name} (/srv/shop/node_modules/express/lib/${name}.js:${line}:${depth})`;
  return `${depth % 2 === 0 ? 'async ' : ''}Service.${name} (/srv/shop/dist/src/${name}/${name}-service.js:${line}:${depth})`;
}
