import type { IncomingMessage, ServerResponse } from 'node:http';
import { pipeline } from 'node:stream/promises';
import { createMcpHandler } from '@modelcontextprotocol/server';
import { readBody } from '../http/messages/read-body.js';
import { createMcpServer } from './mcp-server.js';
import type { McpOptions } from './mcp-tool.js';

const BODY_LIMITS = { maxBodyBytes: 1024 * 1024, stallTimeoutMs: 10_000 };
/** Headers that the protocol reads; a token is not among them. */
const HEADER = /^(?:accept|content-type|mcp-[a-z-]{1,60})$/;

/** Serves MCP requests of node:http, each by a server of its own. `serve` throws what `readBody` throws; `close` ends running calls. */
export function createMcpEndpoint(options: Omit<McpOptions, 'mayAct'>) {
  const { onError: onerror } = options;
  const [reading, acting] = [false, true].map((mayAct) =>
    createMcpHandler(() => createMcpServer({ ...options, mayAct }), { onerror }),
  );
  return {
    async serve(request: IncomingMessage, response: ServerResponse, mayAct: boolean): Promise<void> {
      const pieces: Buffer[] = [];
      await readBody(request, BODY_LIMITS, (piece) => void pieces.push(piece));
      const left = new AbortController();
      response.once('close', () => left.abort());
      const handler = mayAct ? acting : reading;
      const answer = await handler?.fetch(
        new Request('http://localhost/mcp', {
          method: request.method ?? 'POST',
          headers: Object.entries(request.headers).flatMap(([name, value]): [string, string][] =>
            HEADER.test(name) && value !== undefined ? [[name, String(value)]] : [],
          ),
          signal: left.signal,
          ...(pieces.length > 0 && { body: Buffer.concat(pieces) }),
        }),
      );
      if (answer === undefined || response.destroyed) return;
      response.writeHead(answer.status, {
        ...Object.fromEntries(answer.headers),
        'cache-control': 'no-store',
        'x-content-type-options': 'nosniff',
      });
      if (answer.body === null) response.end();
      else await pipeline(answer.body, response).catch(() => response.destroy());
    },
    async close(): Promise<void> {
      await Promise.all([reading?.close(), acting?.close()]);
    },
  };
}
