import type { EngineWording } from './engine-wordings.js';

/** What happens to pages: loading, requests, storage, changes of the document, hydration. */
export const PAGE_WORDINGS: readonly EngineWording[] = [
  {
    // Before the row of fetch, whose first words are the same.
    becomes: 'A part of the program could not be loaded',
    type: 'ChunkLoadError',
    isOutage: true,
    wordings: [
      /^Loading (?:CSS |hot update )?chunk .{1,200} failed\.?(?: ?\(.{0,2000})?$/,
      /^(?:Failed to fetch dynamically imported module|error loading dynamically imported module)(?:: .{0,2000})?$/,
      /^Importing a module script failed\.?$/,
      /^Unable to preload CSS for .{1,2000}$/,
      /^Failed to load (?:module|chunk) .{1,2000}$/,
    ],
    examples: [
      'Loading chunk 12 failed.',
      'Loading chunk 12 failed. (error: https://shop.example.com/12-8c7d1e2a.js)',
      'Loading chunk pages-checkout failed. (missing: https://shop.example.com/pages-checkout.js)',
      'Loading CSS chunk 7 failed. (https://shop.example.com/7.css)',
      'Failed to fetch dynamically imported module: https://shop.example.com/assets/Cart-D4hK1a.js',
      'error loading dynamically imported module: https://shop.example.com/assets/Cart-D4hK1a.js',
      'error loading dynamically imported module',
      'Importing a module script failed.',
      'Failed to load module https://shop.example.com/assets/Cart-D4hK1a.js',
      'Unable to preload CSS for /assets/Cart-D4hK1a.css',
    ],
  },
  {
    becomes: 'Failed to fetch$host',
    wordings: [
      /^Failed to fetch(?: \(([\w.:-]{1,200})\))?\.?$/,
      /^NetworkError when attempting to fetch resource\.?(?: \(([\w.:-]{1,200})\))?$/,
      /^Load failed(?: \(([\w.:-]{1,200})\))?\.?$/,
    ],
    examples: [
      'Failed to fetch (stock.example.com)',
      'NetworkError when attempting to fetch resource. (stock.example.com)',
      'Load failed (stock.example.com)',
    ],
  },
  {
    becomes: 'Failed to fetch',
    of: 'TypeError',
    wordings: [
      /^(?:The network connection was lost|The Internet connection appears to be offline|Could not connect to the server|A server with the specified hostname could not be found|Network request failed)\.?$/,
    ],
    examples: [
      'The network connection was lost.',
      'The Internet connection appears to be offline.',
      'Network request failed',
    ],
  },
  {
    becomes: 'The operation was aborted.',
    type: 'AbortError',
    wordings: [
      /^The user aborted a request\.?$/,
      /^(?:The|This) operation was aborted\.?$/,
      /^signal is aborted without reason$/,
      /^(?:Fetch|Request) is aborted$/,
      /^BodyStreamBuffer was aborted$/,
    ],
    examples: [
      'The user aborted a request.',
      'The operation was aborted.',
      'This operation was aborted',
      'signal is aborted without reason',
      'Fetch is aborted',
      'BodyStreamBuffer was aborted',
    ],
  },
  {
    becomes: 'The quota has been exceeded.',
    type: 'QuotaExceededError',
    wordings: [
      /^(?:Failed to execute 'setItem' on 'Storage': )?Setting the value of '.{1,500}' exceeded the quota\.?$/,
      /^The quota has been exceeded\.?$/,
      /^Persistent storage maximum size reached$/,
      /^An attempt was made to add something to storage that exceeded the quota\.?$/,
    ],
    examples: [
      "Failed to execute 'setItem' on 'Storage': Setting the value of 'cart' exceeded the quota.",
      'The quota has been exceeded.',
      'Persistent storage maximum size reached',
      'An attempt was made to add something to storage that exceeded the quota.',
      'QuotaExceededError: The quota has been exceeded.',
    ],
  },
  {
    becomes: 'Object captured as promise rejection with keys: $name',
    wordings: [/^(?:Object captured as|Non-Error) promise rejection (?:captured )?with keys: (.{1,1000})$/],
    examples: [
      'Object captured as promise rejection with keys: code, message',
      'Non-Error promise rejection captured with keys: code, message',
    ],
  },
  {
    becomes: "Failed to execute 'removeChild' on 'Node': The node to be removed is not a child of this node.",
    wordings: [
      /^(?:Failed to execute 'removeChild' on 'Node'|Node\.removeChild): The node to be removed is not a child of this node\.?$/,
    ],
    examples: [
      "Failed to execute 'removeChild' on 'Node': The node to be removed is not a child of this node.",
      'Node.removeChild: The node to be removed is not a child of this node',
    ],
  },
  {
    becomes:
      "Failed to execute 'insertBefore' on 'Node': The node before which the new node is to be inserted is not a child of this node.",
    wordings: [
      /^Failed to execute 'insertBefore' on 'Node': The node before which the new node is to be inserted is not a child of this node\.?$/,
      /^Node\.insertBefore: Child to insert before is not a child of this node\.?$/,
    ],
    examples: [
      "Failed to execute 'insertBefore' on 'Node': The node before which the new node is to be inserted is not a child of this node.",
      'Node.insertBefore: Child to insert before is not a child of this node',
    ],
  },
  {
    becomes: 'Script error.',
    type: 'Error',
    wordings: [/^Script error\.?$/],
    examples: ['Script error.', 'Script error'],
  },
  {
    becomes: 'ResizeObserver loop limit exceeded',
    wordings: [/^ResizeObserver loop (?:limit exceeded|completed with undelivered notifications)\.?$/],
    examples: ['ResizeObserver loop limit exceeded', 'ResizeObserver loop completed with undelivered notifications.'],
  },
  {
    becomes: 'Hydration failed because the server rendered HTML did not match the client.',
    wordings: [/^Hydration failed because .{1,4000}$/, /^Minified React error #418(?:[;.].{0,4000})?$/],
    examples: [
      'Hydration failed because the initial UI does not match what was rendered on the server.',
      "Hydration failed because the server rendered HTML didn't match the client. As a result this tree will be regenerated on the client.",
      'Minified React error #418; visit https://react.dev/errors/418?args[]=HTML for the full message.',
    ],
  },
  {
    becomes: 'There was an error while hydrating.',
    wordings: [/^There was an error while hydrating\..{0,4000}$/, /^Minified React error #423(?:[;.].{0,4000})?$/],
    examples: [
      'There was an error while hydrating. Because the error happened outside of a Suspense boundary, the entire root will switch to client rendering.',
      'Minified React error #423; visit https://reactjs.org/docs/error-decoder.html?invariant=423 for the full message.',
    ],
  },
  {
    becomes: 'Text content does not match server-rendered HTML.',
    wordings: [
      /^Text content does(?: not|n't) match server-rendered HTML\..{0,4000}$/,
      /^Minified React error #425(?:[;.].{0,4000})?$/,
    ],
    examples: [
      'Text content does not match server-rendered HTML.',
      'Minified React error #425; visit https://react.dev/errors/425 for the full message.',
    ],
  },
  {
    becomes: 'Minified React error #$name',
    wordings: [/^Minified React error #(\d{1,4})(?:[;.].{0,4000})?$/],
    examples: [
      'Minified React error #31; visit https://react.dev/errors/31?args[]=cart for the full message.',
      'Minified React error #31; visit https://reactjs.org/docs/error-decoder.html?invariant=31&args[]=x for the full message or use the non-minified dev environment.',
    ],
  },
];
