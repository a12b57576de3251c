import express from 'express';
import { hasSettingsType } from '../../config/component-settings.js';
import { Fault } from '../../core/event/fault.js';
import type { McpExtensionSettings } from '../../generated/settings.js';
import type { Extension, ExtensionFactory, ExtensionInternal } from '../component/built-in.js';
import type { AccessRule } from '../http/endpoints/access-rule.js';
import { allow } from '../http/middleware/allow.js';
import type { McpEndpoint } from '../mcp/mcp-endpoint.js';
import type { McpSource } from '../mcp/mcp-tool.js';
import type { GroupReader } from '../query/group-reader.js';
import { createGroup, createReadingAccess, createReadingCors } from './query-extension.js';

/** Path of the endpoint. */
const PATH = '/mcp';
/** As in the protocol; servers of this program and this file change together. */
const VERSION = '1';
const HEADERS = ['mcp-protocol-version', 'mcp-method', 'mcp-name', 'mcp-session-id'];

/** Extension `mcp`: the Model Context Protocol beside the reading API. */
export const mcpExtension: ExtensionFactory<McpExtensionSettings> = {
  stability: 'alpha',
  create: (settings, { id, internal }) => createMcpExtension(id, settings, internal),
};

/** Creates extension `mcp` on the endpoint of a `query` extension, under its rules of host, origin and token. Throws `COMPONENT_UNKNOWN`. */
function createMcpExtension(
  id: string,
  { query: queryId, allow_writes: allowWrites }: McpExtensionSettings,
  context: ExtensionInternal,
): Extension {
  const settings = context.settingsOf(queryId);
  if (!hasSettingsType('query', queryId, settings)) {
    throw new Fault('COMPONENT_UNKNOWN', `${id} names ${queryId}, which must be an extension query that runs`);
  }
  const { authenticatorOf, reader, actions, changes, logger } = context;
  const tokens = [settings.auth, settings.actions_auth].map(authenticatorOf);
  const callers = createReadingAccess(tokens[0], tokens[1]);
  // Without tokens everyone on this machine may act, which an assistant should do only if it is told so.
  const offersWrites = allowWrites || tokens.some((one) => one !== undefined);
  let group: GroupReader | undefined;
  const open = async (): Promise<McpSource> => {
    if (settings.peers.length === 0) return { reader: reader(), actions: actions(), changes: changes() };
    group ??= await createGroup(settings, context);
    return { reader: group, actions: group, changes: changes() };
  };
  const load = async (): Promise<McpEndpoint> => {
    const { createMcpEndpoint } = await import('../mcp/mcp-endpoint.js');
    return createMcpEndpoint({
      version: VERSION,
      open,
      onError: (error) => error instanceof Fault || logger.warn({ err: error }, 'a call of MCP failed'),
    });
  };
  let loading: Promise<McpEndpoint> | undefined;
  const cors = createReadingCors(settings.cors, HEADERS);
  const access: AccessRule = { kind: 'token', scope: 'reading', refusalOf: callers.readingRefusalOf, cors };
  const router = express.Router({ caseSensitive: true, strict: true });
  router.post(PATH, ...allow(access), async (request, response) => {
    loading ??= load();
    await (await loading).serve(request, response, offersWrites && callers.mayAct(request));
  });
  const { endpoint, allowed_hosts: allowedHosts, tls, connections } = settings;
  return {
    routes: [{ endpoint, router, allowedHosts, transport: { tls, connections } }],
    get url() {
      const url = context.servers.urlOf(endpoint);
      return url === undefined ? undefined : url + PATH;
    },
    async drain() {
      await (await loading)?.close();
    },
    async shutdown() {
      await group?.close();
    },
  };
}
