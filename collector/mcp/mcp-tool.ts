import type { CallToolResult, McpServer, StandardSchemaWithJSON } from '@modelcontextprotocol/server';
import type { FailureActions, FailureChanges, FailureReader } from '../../core/contract/reader.js';
import { errorAnswer } from './tool-answer.js';

/** Where a server reads, and acts if it may. */
export interface McpSource {
  readonly reader: FailureReader;
  readonly changes: FailureChanges;
  readonly actions?: FailureActions | undefined;
}

/** Options of a server. */
export interface McpOptions {
  readonly version: string;
  /** Called by every tool; an error is its answer. */
  readonly open: () => Promise<McpSource>;
  /** Whether tools that write are listed. */
  readonly mayAct: boolean;
  /** Called with errors that are no faults. */
  readonly onError: (error: unknown) => void;
}

/** A tool, made once for all servers. */
export interface McpTool {
  readonly register: (server: McpServer, options: McpOptions) => void;
}

interface ToolDefinition<Arguments> {
  readonly name: string;
  readonly description: string;
  readonly input: StandardSchemaWithJSON<Arguments, Arguments>;
  readonly output: StandardSchemaWithJSON;
  readonly run: (values: Arguments, source: McpSource, signal: AbortSignal) => Promise<CallToolResult>;
}

/** Creates a tool that reads, or one that changes the state of issues; every tool shows what senders of an open world wrote. */
export function createTool<Arguments>(definition: ToolDefinition<Arguments>, isWriting = false): McpTool {
  const { name, description, input: inputSchema, output: outputSchema, run } = definition;
  const hints = { readOnlyHint: !isWriting, destructiveHint: isWriting, idempotentHint: !isWriting };
  const config = { description, inputSchema, outputSchema, annotations: { ...hints, openWorldHint: true } };
  return {
    register(server, { open, onError }) {
      server.registerTool(name, config, async (values, { mcpReq: { signal } }) => {
        try {
          return await run(values, await open(), signal);
        } catch (error) {
          onError(error);
          return errorAnswer(error);
        }
      });
    },
  };
}
