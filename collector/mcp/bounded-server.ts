import { type JSONRPCMessage, McpServer, type Transport } from '@modelcontextprotocol/server';
import { fitLine, neutralLine } from '../../core/brief/fit-text.js';

/** Of an error: below the least `max_tokens`. */
const MAX_ERROR_TOKENS = 1_000;
const MAX_ERROR_UNITS = 4_000;

/** A server whose errors are bounded, although the library repeats in them what clients sent. */
export class BoundedServer extends McpServer {
  override connect(transport: Transport): Promise<void> {
    const send = transport.send.bind(transport);
    transport.send = (message, options) => send(withShortError(message), options);
    return super.connect(transport);
  }
}

function withShortError(message: JSONRPCMessage): JSONRPCMessage {
  if ('error' in message) {
    const { data, ...error } = message.error;
    const isShort = data !== undefined && JSON.stringify(data).length <= MAX_ERROR_UNITS;
    return { ...message, error: { ...error, message: shortError(error.message), ...(isShort && { data }) } };
  }
  if (!('result' in message) || message.result['isError'] !== true) return message;
  const { content } = message.result;
  if (!Array.isArray(content)) return message;
  const short = content.map((block) => ('text' in block ? { ...block, text: shortError(String(block.text)) } : block));
  return { ...message, result: { ...message.result, content: short } };
}

function shortError(text: string): string {
  return fitLine({ text: neutralLine(text, MAX_ERROR_UNITS), rest: 0 }, MAX_ERROR_TOKENS) ?? '';
}
