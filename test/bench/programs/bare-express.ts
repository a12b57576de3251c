import express from 'express';

/** The peer of the single-event row: an Express 5 server that parses a JSON body and echoes it. */
const app = express();
app.use(express.json({ limit: '10mb' }));
app.post('/echo', (request, response) => {
  response.json(request.body);
});
app.get('/fixed', (_request, response) => {
  response.json({ fixed: 'x'.repeat(2000) });
});
const server = app.listen(0, '127.0.0.1', () => {
  const address = server.address();
  process.stdout.write(`${typeof address === 'object' ? address?.port : ''}\n`);
});
process.on('SIGTERM', () => process.exit(0));
