import type { IncomingMessage, ServerResponse } from 'node:http';

const held = new WeakMap<IncomingMessage, ServerResponse>();

/** Remembers a request whose sender waits for `100 Continue` before it sends the body (RFC 9110, 10.1.1). */
export function holdContinue(request: IncomingMessage, response: ServerResponse): void {
  held.set(request, response);
}

/** Lets the sender begin with the body, where it waits for that. Whoever is refused before is never asked for one. */
export function askForBody(request: IncomingMessage): void {
  held.get(request)?.writeContinue();
  held.delete(request);
}
