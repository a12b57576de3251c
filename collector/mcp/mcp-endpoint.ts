import type { IncomingMessage, ServerResponse } from 'node:http';
import { pipeline } from 'node:stream/promises';
import { createMcpHandler } from '@modelcontextprotocol/server';
import { parseJson } from '../../core/event/json.js';
import { readBody } from '../http/messages/read-body.js';
import { sendJson } from '../http/messages/respond.js';
import { createMcpServer } from './mcp-server.js';
import type { McpOptions } from './mcp-tool.js';
import { boundsError, messageError } from './message-bounds.js';

const BODY_LIMITS = { maxBodyBytes: 1024 * 1024, stallTimeoutMs: 10_000 };
/** Headers that the protocol reads; a token is not among them. */
const HEADER = /^(?:accept|content-type|mcp-[a-z-]{1,60})$/;
/** Characters of a header that errors may repeat. */
const MAX_HEADER_LENGTH = 1_000;
const PARSE_ERROR = -32_700;

/** Serves MCP requests of node:http, each by a server of its own. */
export interface McpEndpoint {
  /** Throws what `readBody` throws. */
  serve(request: IncomingMessage, response: ServerResponse, mayAct: boolean): Promise<void>;
  /** Ends running calls. */
  close(): Promise<void>;
}

/** Creates the endpoint. */
export function createMcpEndpoint(options: Omit<McpOptions, 'mayAct'>): McpEndpoint {
  const { onError: onerror } = options;
  const [reading, acting] = [false, true].map((mayAct) =>
    createMcpHandler(() => createMcpServer({ ...options, mayAct }), { onerror }),
  );
  return {
    async serve(request, response, mayAct) {
      const pieces: Buffer[] = [];
      await readBody(request, BODY_LIMITS, (piece) => void pieces.push(piece));
      const message = parseJson(Buffer.concat(pieces).toString());
      const headers = forwardedHeaders(request);
      const refusal =
        message === undefined
          ? messageError('The body is not JSON.', undefined, PARSE_ERROR)
          : (headersError(headers) ?? boundsError(message));
      if (refusal !== undefined) {
        sendJson(response, 400, JSON.stringify(refusal));
        return;
      }
      const left = new AbortController();
      response.once('close', () => left.abort());
      const handler = mayAct ? acting : reading;
      // Without the body, which is parsed already.
      const forwarded = new Request('http://localhost/mcp', { method: 'POST', headers, signal: left.signal });
      const answer = await handler?.fetch(forwarded, { parsedBody: message });
      if (answer === undefined || response.destroyed) return;
      response.writeHead(answer.status, {
        ...Object.fromEntries(answer.headers),
        'cache-control': 'no-store',
        'x-content-type-options': 'nosniff',
      });
      if (answer.body === null) response.end();
      else await pipeline(answer.body, response).catch(() => response.destroy());
    },
    async close() {
      await Promise.all([reading?.close(), acting?.close()]);
    },
  };
}

function forwardedHeaders({ headers }: IncomingMessage): [name: string, value: string][] {
  return Object.entries(headers).flatMap(([name, value]): [string, string][] =>
    HEADER.test(name) && value !== undefined ? [[name, String(value)]] : [],
  );
}

function headersError(headers: readonly (readonly [name: string, value: string])[]) {
  const long = headers.find(([, value]) => value.length > MAX_HEADER_LENGTH);
  return long && messageError(`The header ${long[0]} is longer than ${MAX_HEADER_LENGTH} characters.`, undefined);
}
