import { randomInt } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:net';

/** Below the ports that systems give to outgoing connections: one of those could take a free port before its server listens. */
const FIRST = 12_000;
const END = 32_000;

const given = new Set<number>();

/** Returns a port that is free now, for settings that need it before a server listens. Rejects if `wanted` is taken. */
export async function freePort(wanted?: number): Promise<number> {
  for (;;) {
    const port = wanted ?? randomInt(FIRST, END);
    if (wanted === undefined && given.has(port)) continue;
    given.add(port);
    const server = createServer().listen(port, '127.0.0.1');
    try {
      await once(server, 'listening');
    } catch (error) {
      if (wanted !== undefined) throw error;
      continue;
    }
    server.close();
    await once(server, 'close');
    return port;
  }
}
