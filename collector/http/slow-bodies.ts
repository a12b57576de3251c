import { Fault } from '../../core/event/fault.js';
import type { GuardedConnection } from './guarded-connection.js';

/** Over so many looks a body's rate is an average; the first span is not judged. */
const LOOKS_OF_SPAN = 10;

/**
 * One look, a second after the one before, at connections whose bodies are to come at `minBodyRate` bytes a second. A slow body is refused, and told to `onSlow`; where
 * the connection is as slow a span later, it is closed.
 */
export function lookForSlowBodies(
  connections: Iterable<GuardedConnection>,
  minBodyRate: number,
  onSlow: () => void,
): void {
  for (const connection of connections) {
    const { arrival, socket } = connection;
    // What we do not take is held back by us.
    if (arrival === undefined || arrival.isWhole || !arrival.isTaken) continue;
    if (connection.looks === 0) connection.bytes = socket.bytesRead;
    connection.looks++;
    if (connection.looks % LOOKS_OF_SPAN !== 0) continue;
    const arrived = socket.bytesRead - connection.bytes;
    connection.bytes = socket.bytesRead;
    if (connection.looks === LOOKS_OF_SPAN || arrived >= minBodyRate * LOOKS_OF_SPAN) continue;
    if (connection.isRefused) {
      socket.destroy();
      continue;
    }
    connection.isRefused = true;
    onSlow();
    arrival.refuse(bodyTooSlow(minBodyRate));
  }
}

function bodyTooSlow(minBodyRate: number): Fault {
  const sentence = `the body came slower than ${minBodyRate} bytes a second for ${LOOKS_OF_SPAN} s: send it faster, or less at a time`;
  return new Fault('BODY_TOO_SLOW', sentence);
}
