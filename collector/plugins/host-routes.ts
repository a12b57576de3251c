import type { RequestHandler, Router } from 'express';
import { parseEndpoint } from '../../config/values/endpoint.js';
import { Fault, messageOf } from '../../core/event/fault.js';
import type { Internal } from '../component/built-in.js';
import type * as plugin from '../component/plugin.js';
import { readablePaths } from '../http/declared-routes.js';
import type { EndpointRoutes } from '../http/endpoint-routes.js';
import { type AccessRule, tokenCheck } from '../http/endpoints/access-rule.js';
import { type CorsPolicy, createCorsPolicy } from '../http/endpoints/cors-policy.js';
import { RequestFault } from '../http/messages/http-fault.js';
import { sendContinue } from '../http/messages/read-body.js';
import { allow } from '../http/middleware/allow.js';
import { expressMembers } from '../http/middleware/express-members.js';
import type { PluginComponent } from './load-plugins.js';

/** Headers that web pages may send to a route of a plugin. */
const PAGE_HEADERS = ['authorization'];

/** Creates `context.allow` of a plugin's component. It throws `ROUTE_WITHOUT_ACCESS`, and `COMPONENT_UNKNOWN` for an authenticator that does not run. */
export function allowBy(internal: Internal): plugin.EndpointContext['allow'] {
  const members = expressMembers();
  return (rule) => [...allow(accessRuleOf(rule, internal)), expectBody, members] as unknown as plugin.RequestHandler[];
}

/** Asks for the body at once, because middleware of others does not. */
const expectBody: RequestHandler = (request, _response, next) => {
  sendContinue(request);
  next();
};

/** The caller may be JavaScript. */
function accessRuleOf(rule: plugin.AccessRule | undefined, { authenticatorOf }: Internal): AccessRule {
  switch (rule?.kind) {
    case 'open':
      return { kind: 'open', ...pagesOf(rule) };
    case 'local':
      if ('allowedOrigins' in rule) throw withoutAccess('allowedOrigins is not for the kind local');
      return {
        kind: 'local',
        refusal: new RequestFault('LOCAL_ONLY', "only programs on the collector's machine may call this"),
      };
    case 'token': {
      const authenticator = authenticatorOf({ authenticator: rule.authenticator });
      if (authenticator === undefined) throw withoutAccess('the rule names no authenticator');
      return { kind: 'token', scope: 'plugin', refusalOf: tokenCheck(authenticator), ...pagesOf(rule) };
    }
    default:
      throw withoutAccess('the kind of a rule is open, local or token');
  }
}

/** The policy for the web pages that may call; none if none may. */
function pagesOf({ allowedOrigins }: { readonly allowedOrigins?: readonly string[] }): { readonly cors?: CorsPolicy } {
  if (allowedOrigins === undefined) return {};
  const areOrigins = Array.isArray(allowedOrigins) && allowedOrigins.every((origin) => typeof origin === 'string');
  if (!areOrigins) throw withoutAccess('allowedOrigins must be a list of texts');
  const settings = { allowed_origins: [...allowedOrigins], allowed_headers: [], max_age: '2h' };
  return { cors: createCorsPolicy(settings, { headers: PAGE_HEADERS, exposed: [] }) };
}

function withoutAccess(sentence: string): Fault {
  return new Fault('ROUTE_WITHOUT_ACCESS', `allow: ${sentence}`);
}

/** The routes that a component of a plugin declares. Fault: `PLUGIN_FAILED`. */
export function routesOf(part: PluginComponent, component: plugin.Receiver | plugin.Extension): EndpointRoutes[] {
  const { routes: declared = [] } = component;
  const fail = (reason: string) => new Fault('PLUGIN_FAILED', `${part.origin} declares routes that ${reason}`);
  if (!Array.isArray(declared)) throw fail('are not a list');
  return declared.map(({ endpoint, router, allowedHosts = [] }: plugin.EndpointRoutes) => {
    try {
      parseEndpoint(endpoint);
    } catch (error) {
      throw fail(`have no endpoint host:port: ${messageOf(error)}`);
    }
    if (!isRouter(router)) throw fail('are not an express.Router()');
    try {
      readablePaths(router);
    } catch (error) {
      throw fail(`have a path that Express 5 cannot read: ${messageOf(error)}`);
    }
    return { endpoint, router, allowedHosts };
  });
}

function isRouter(router: unknown): router is Router {
  return typeof router === 'function' && 'stack' in router && Array.isArray(router.stack);
}
