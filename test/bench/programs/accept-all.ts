import { createServer } from 'node:http';

/** The destination of the Collector's queue: returns 200 with an empty body when it has the request. */
const server = createServer((request, response) => {
  request.resume().on('end', () => response.writeHead(200, { 'content-type': 'application/x-protobuf' }).end());
});
server.listen(0, '127.0.0.1', () => {
  const address = server.address();
  process.stdout.write(`${typeof address === 'object' ? address?.port : ''}\n`);
});
process.on('SIGTERM', () => process.exit(0));
