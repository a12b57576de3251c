// Opens connections whose requests never end: `slow-clients.js PORT COUNT`. Each sends one byte a second and reconnects a second after it was
// closed. When all were opened, prints the number of open connections each second. Exits when its input ends.
import { connect } from 'node:net';

const [port, count] = process.argv.slice(2).map(Number);
const HEAD =
  'POST /v1/events HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\ncontent-length: 100000\r\n\r\n[';
const AT_A_TIME = 200;
const sockets = new Set();

function open() {
  return new Promise((resolve) => {
    const socket = connect({ port, host: '127.0.0.1' });
    socket.once('connect', () => {
      sockets.add(socket);
      socket.write(HEAD);
      resolve();
    });
    socket.on('error', resolve);
    socket.on('data', () => undefined);
    socket.once('close', () => {
      sockets.delete(socket);
      setTimeout(open, 1_000);
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
process.stdin.on('end', () => process.exit(0)).resume();
