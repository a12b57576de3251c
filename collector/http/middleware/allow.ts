import type { RequestHandler } from 'express';
import { Fault } from '../../../core/event/fault.js';
import { type AccessRule, isAccessRule } from '../endpoints/access-rule.js';
import { admitRequest } from './admit-request.js';
import { authorize } from './authorize.js';
import { checkHostOfComponent } from './check-host.js';
import { checkPage } from './check-page.js';
import { countResponse } from './count-response.js';
import { limitRate } from './limit-rate.js';

/** What happens to each request of a route before its handler, in this order. It reads `response.locals`. */
export const ROUTE_MIDDLEWARE: readonly RequestHandler[] = [
  countResponse,
  checkHostOfComponent,
  admitRequest,
  checkPage,
  limitRate,
  authorize,
];

/** The first middleware of a route. */
interface AccessDeclaration extends RequestHandler {
  readonly access: AccessRule;
}

/** Creates the first middleware of a route, which says who may call it: `router.get(path, ...allow(rule), handler)`. Throws `ROUTE_WITHOUT_ACCESS` if `rule` is none. */
export function allow(rule: AccessRule): RequestHandler[] {
  if (!isAccessRule(rule)) throw new Fault('ROUTE_WITHOUT_ACCESS', 'allow needs an access rule: say who may call');
  const declare: RequestHandler = (_request, response, next) => {
    response.locals.access = rule;
    next();
  };
  return [Object.assign(declare, { access: rule }) satisfies AccessDeclaration, ...ROUTE_MIDDLEWARE];
}

/** Returns the rule that middleware declares; undefined for any other middleware. */
export function accessOf(middleware: object): AccessRule | undefined {
  return 'access' in middleware && isAccessRule(middleware.access) ? middleware.access : undefined;
}
