import { parseEndpoint } from '../../../config/values/endpoint.js';
import type { SentryReceiverSettings } from '../../../generated/settings.js';
import type { Internal } from '../../component/built-in.js';
import { type AccessRule, tokenCheck } from '../../http/endpoints/access-rule.js';
import { RequestFault } from '../../http/messages/http-fault.js';
import { isLoopbackHost } from '../../http/messages/request-guard.js';

/** Creates the rule of routes that record releases: a token of `releases.auth`. Without it only programs on this machine call an endpoint on localhost, and nobody a receiver that asks for tokens. */
export function createReleaseAccess(
  receiver: string,
  settings: SentryReceiverSettings,
  authenticatorOf: Internal['authenticatorOf'],
): AccessRule {
  const authenticator = authenticatorOf(settings.releases.auth);
  if (authenticator !== undefined) return { kind: 'token', scope: 'releases', refusalOf: tokenCheck(authenticator) };
  const isLocal = isLoopbackHost(parseEndpoint(settings.endpoint).host) && settings.auth.authenticator === undefined;
  const sentence = `release calls need a token of their own: name an extension bearertokenauth in receivers.${receiver}.releases.auth.authenticator`;
  const headers = { 'www-authenticate': 'Bearer realm="faultline"' };
  return { kind: isLocal ? 'local' : 'closed', refusal: new RequestFault('RELEASES_CLOSED', sentence, { headers }) };
}
