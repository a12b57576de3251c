import { connect, type Socket } from 'node:net';

const HEAD =
  'POST /v1/events HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\ncontent-length: 100000\r\n\r\n[';
const AT_A_TIME = 200;
const AGAIN_MS = 1_000;

/**
 * Connections that never end their requests and send one byte a second: `slow-clients <port> <count>`. One that is closed is opened again after a second.
 * Once each was opened, prints a line each second with the number of those that are open.
 */
const [port, count = 0] = process.argv.slice(2).map(Number);
const sockets = new Set<Socket>();

function open(): Promise<void> {
  return new Promise((resolve) => {
    const socket = connect({ port: port ?? 0, host: '127.0.0.1' });
    socket.once('connect', () => {
      sockets.add(socket);
      socket.write(HEAD);
      resolve();
    });
    socket.on('error', () => resolve()).on('data', () => undefined);
    socket.once('close', () => {
      sockets.delete(socket);
      setTimeout(open, AGAIN_MS);
    });
  });
}

for (let opened = 0; opened < count; opened += AT_A_TIME) {
  await Promise.all(Array.from({ length: Math.min(AT_A_TIME, count - opened) }, open));
}
setInterval(() => {
  for (const socket of sockets) socket.write(' ');
  process.stdout.write(`${sockets.size}\n`);
}, 1_000);
