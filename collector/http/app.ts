import type { RequestListener } from 'node:http';
import express, { type ErrorRequestHandler, type Request, type RequestHandler, type Response } from 'express';
import type { Logger } from 'pino';
import { readablePaths } from './declared-routes.js';
import type { ReportEncoding } from './decompression/content-encodings.js';
import { RequestFault } from './messages/http-fault.js';
import { answerOptions } from './middleware/answer-options.js';
import { checkHost } from './middleware/check-host.js';
import { checkRequestShape } from './middleware/check-request-shape.js';
import { enterComponent } from './middleware/enter-component.js';
import { holdDuringReload } from './middleware/hold-during-reload.js';
import { notFound } from './middleware/not-found.js';
import { refuseOtherMethods } from './middleware/refuse-other-methods.js';
import { sendProblem } from './middleware/send-problem.js';
import type { ServedRoutes } from './served-routes.js';
import type { HttpServer } from './server/http-server.js';

interface EndpointAppOptions {
  readonly logger: Logger;
  readonly reportEncoding: ReportEncoding;
}

/**
 * Creates the Express router of one endpoint: everything that happens to a request, in order. What happens within a matching route stands in
 * `middleware/allow.ts`. It is a router and not an application, which would replace the prototypes of each request and response, see
 * docs/decisions/0049-collector-is-an-express-application.md.
 */
export function createEndpointApp(
  server: HttpServer,
  components: readonly ServedRoutes[],
  options: EndpointAppOptions,
): RequestListener {
  const routes = components.flatMap((served) => served.routes);
  const allowedHosts = components.flatMap((served) => served.allowedHosts);
  const knownPaths = components.flatMap((served) => readablePaths(served.router));

  const root = express.Router({ caseSensitive: true, strict: true });
  const checkAnyHost = checkHost(server.host, allowedHosts);
  root.use(holdDuringReload(server, components));
  root.use(answerOptions(components, checkAnyHost));
  for (const served of components) root.use(enterComponent(served), served.router);
  root.use(checkAnyHost, checkHostOfFailure(checkAnyHost));
  refuseOtherMethods(root, routes);
  root.use(notFound(knownPaths));

  const fail = sendProblem(options);
  return (incoming, outgoing) => {
    const [request, response] = [incoming as Request, outgoing as Response];
    response.locals = {} as Response['locals'];
    const end = (error: unknown) => fail(error ?? targetInvalid(), request, response, () => undefined);
    try {
      // Not in the router, which reads the target before it runs any middleware.
      checkRequestShape(request, response, () => root(request, response, end));
    } catch (error) {
      end(error);
    }
  };
}

/** Checks the host of a request that failed before the middleware of its route, because Express cannot decode a part of its path. */
function checkHostOfFailure(checkAnyHost: RequestHandler): ErrorRequestHandler {
  return (error: unknown, request, response, next) => {
    checkAnyHost(request, response, () => next(error));
  };
}

/** Express ends a request without an error if it cannot parse the target. */
function targetInvalid(): RequestFault {
  return new RequestFault('REQUEST_TARGET_INVALID', 'the request target is neither a path nor an http address');
}
