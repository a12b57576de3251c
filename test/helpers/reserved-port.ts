import { randomInt } from 'node:crypto';
import { once } from 'node:events';
import { connect } from 'node:net';
import { networkInterfaces } from 'node:os';

/** Below the ports that Linux gives to outgoing connections and to servers that ask for any port. */
const FIRST = 12_000;
const END = 32_000;

/**
 * Returns a port that no other test gets until this process exits. It is for settings that need a port before a server listens, or the same
 * port for the next server; elsewhere let the product listen on port 0 and read the port from its output. Rejects if `wanted` is taken.
 */
export async function reservePort(wanted?: number): Promise<number> {
  for (;;) {
    const port = wanted ?? randomInt(FIRST, END);
    try {
      for (const address of loopbackAddresses()) await hold(address, port);
      return port;
    } catch (error) {
      if (wanted !== undefined) throw error;
    }
  }
}

/** 127.0.0.1, and ::1 if this machine has it. */
function loopbackAddresses(): string[] {
  const internal = Object.values(networkInterfaces()).flatMap((all = []) => all.filter((one) => one.internal));
  return internal.map(({ address }) => address).filter((address) => ['127.0.0.1', '::1'].includes(address));
}

/** Connects a port with itself: a server can listen beside this connection, but a second one cannot exist. */
async function hold(address: string, port: number): Promise<void> {
  const socket = connect({ host: address, port, localAddress: address, localPort: port });
  await once(socket, 'connect');
  socket.unref();
}
