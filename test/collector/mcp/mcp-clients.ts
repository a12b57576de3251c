import { Client as ClientV2, StreamableHTTPClientTransport as HttpV2 } from '@modelcontextprotocol/client';
import { StdioClientTransport as StdioV2 } from '@modelcontextprotocol/client/stdio';
import { Client as ClientV1 } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport as StdioV1 } from '@modelcontextprotocol/sdk/client/stdio.js';
import { StreamableHTTPClientTransport as HttpV1 } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { FAULTLINE } from '../../helpers/faultline-process.js';
import { serverPayload } from '../../helpers/payloads.js';
import { post } from '../post.js';
import type { RunningService } from '../running-service.js';

/** The answer of a tool, as both clients return it. */
export interface ToolAnswer {
  readonly isError?: boolean;
  readonly content: readonly { readonly type: string; readonly text?: string; readonly uri?: string }[];
  readonly structuredContent: Record<string, unknown>;
}

/** What tests ask of a client. */
export interface TestClient {
  tools(): Promise<readonly { readonly name: string; readonly [key: string]: unknown }[]>;
  call(name: string, given?: Record<string, unknown>): Promise<ToolAnswer>;
  prompts(): Promise<readonly { readonly name: string }[]>;
  prompt(name: string, given?: Record<string, string>): Promise<string>;
  templates(): Promise<readonly { readonly uriTemplate: string }[]>;
  read(uri: string): Promise<string>;
  /** Everything that a client reads before the first call. */
  definitions(): Promise<string>;
  close(): Promise<void>;
}

const NAME = { name: 'test', version: '1' };
const clients: TestClient[] = [];

/** Where to connect: `args` are those of `faultline mcp`; `url` is that of the endpoint. */
type Connect = (to: { args?: readonly string[]; url?: string; token?: string }) => Promise<TestClient>;

/** The official clients over both transports. */
export const WAYS = {
  'client v1 over stdio': async ({ args = [] }) => {
    const client = new ClientV1(NAME);
    await client.connect(new StdioV1({ command: process.execPath, args: [FAULTLINE, 'mcp', ...args] }));
    return asked(client as never);
  },
  'client v2 over stdio': async ({ args = [] }) => {
    const client = new ClientV2(NAME, { versionNegotiation: { mode: 'auto' } });
    await client.connect(new StdioV2({ command: process.execPath, args: [FAULTLINE, 'mcp', ...args] }));
    return asked(client as never);
  },
  'client v1 over HTTP': async ({ url = '', token }) => {
    const client = new ClientV1(NAME);
    await client.connect(new HttpV1(new URL(url), { requestInit: { headers: bearer(token) } }) as never);
    return asked(client as never);
  },
  'client v2 over HTTP': async ({ url = '', token }) => {
    const client = new ClientV2(NAME, { versionNegotiation: { mode: 'auto' } });
    await client.connect(new HttpV2(new URL(url), { requestInit: { headers: bearer(token) } }));
    return asked(client as never);
  },
} satisfies Record<string, Connect>;

function bearer(token: string | undefined): Record<string, string> {
  return token === undefined ? {} : { authorization: `Bearer ${token}` };
}

/** Sends one event to a collector; returns its ids. */
export async function store(
  { eventsUrl }: Pick<RunningService, 'eventsUrl'>,
  changes: Parameters<typeof serverPayload>[0] = {},
): Promise<{ event_id: string; issue_id: string }> {
  const { body } = await post(eventsUrl, JSON.stringify(serverPayload(changes)));
  return body.events?.[0] ?? { event_id: '', issue_id: '' };
}

/** For `afterAll`. */
export async function closeClients(): Promise<void> {
  await Promise.all(clients.splice(0).map((client) => client.close()));
}

/** Both versions have these methods. */
interface AnyClient {
  listTools(): Promise<{ tools: { name: string }[] }>;
  callTool(request: object, ...rest: unknown[]): Promise<unknown>;
  listPrompts(): Promise<{ prompts: { name: string }[] }>;
  getPrompt(request: object): Promise<{ messages: { content: { text?: string } }[] }>;
  listResourceTemplates(): Promise<{ resourceTemplates: { uriTemplate: string }[] }>;
  readResource(request: object): Promise<{ contents: { text?: string }[] }>;
  getInstructions(): string | undefined;
  close(): Promise<void>;
}

function asked(client: AnyClient): TestClient {
  const made: TestClient = {
    tools: async () => (await client.listTools()).tools,
    call: async (name, given = {}) => {
      const answer = await client.callTool({ name, arguments: given });
      return { structuredContent: {}, ...(answer as Partial<ToolAnswer> & Pick<ToolAnswer, 'content'>) };
    },
    prompts: async () => (await client.listPrompts()).prompts,
    prompt: async (name, given = {}) =>
      (await client.getPrompt({ name, arguments: given })).messages.map(({ content }) => content.text).join('\n'),
    templates: async () => (await client.listResourceTemplates()).resourceTemplates,
    read: async (uri) => (await client.readResource({ uri })).contents[0]?.text ?? '',
    definitions: async () =>
      JSON.stringify([
        await client.listTools(),
        await client.listPrompts(),
        await client.listResourceTemplates(),
        client.getInstructions(),
      ]),
    close: () => client.close(),
  };
  clients.push(made);
  return made;
}
