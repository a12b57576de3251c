import type { JSONRPCMessage } from '@modelcontextprotocol/server';
import { StdioServerTransport, serveStdio } from '@modelcontextprotocol/server/stdio';
import type { FailureActions } from '../../core/contract/reader.js';
import { Fault, messageOf } from '../../core/event/fault.js';
import { createMcpServer } from '../mcp/mcp-server.js';
import type { McpSource } from '../mcp/mcp-tool.js';
import { boundsError } from '../mcp/message-bounds.js';
import type { SourceReader, TextSink } from './command-line.js';

/** Options of `faultline mcp`. */
export interface McpCommandOptions {
  readonly version: string;
  readonly openReader: () => Promise<SourceReader>;
  /** Whether the caller allows writing: by a token or a flag. */
  readonly mayWrite: boolean;
  readonly stdin: NodeJS.ReadStream;
  readonly stdout: NodeJS.WriteStream;
  readonly stderr: TextSink;
}

/** Of one message. */
const MAX_BYTES = 1024 * 1024;

/** Serves one client until standard input ends, and returns the exit code 0. The source is opened when a tool first needs it, and again after it failed. */
export async function runMcp({ version, openReader, mayWrite, stdin, stdout, stderr }: McpCommandOptions) {
  let opening: Promise<SourceReader> | undefined;
  const opened = (): Promise<SourceReader> => {
    opening ??= openReader().catch((error: unknown) => {
      opening = undefined;
      throw error;
    });
    return opening;
  };
  const open = async (): Promise<McpSource> => {
    const reader = await opened();
    return { reader, changes: reader, actions: actionsOf(reader) };
  };
  const mayAct = async (): Promise<boolean> => {
    if (!mayWrite) return false;
    const reader = await opened();
    return actionsOf(reader) !== undefined && (await reader.access()).actions;
  };
  const onError = (error: unknown): void => {
    if (!(error instanceof Fault)) stderr.write(`${messageOf(error)}\n`);
  };
  const transport = new StdioServerTransport(stdin, stdout, { maxBufferSize: MAX_BYTES });
  const connection = serveStdio(
    async () => createMcpServer({ version, open, mayAct: await mayAct().catch(() => false), onError }),
    { transport, onerror: onError },
  );
  const { onmessage } = transport;
  transport.onmessage = (message) => {
    const refusal = boundsError(message);
    if (refusal === undefined) onmessage?.(message);
    // A notification has no answer.
    else if ('id' in message) transport.send(refusal as JSONRPCMessage).catch(onError);
  };
  await new Promise<void>((resolve) => {
    stdin.once('close', resolve).once('end', resolve);
    // Also after a message that is too long, when the client may keep standard input open.
    const { onclose } = transport;
    transport.onclose = () => {
      onclose?.();
      resolve();
    };
  });
  stdin.destroy();
  await connection.close();
  await (await opening?.catch(() => undefined))?.close();
  return 0;
}

function actionsOf(reader: SourceReader): FailureActions | undefined {
  const act = reader.act?.bind(reader);
  return act && { act };
}
