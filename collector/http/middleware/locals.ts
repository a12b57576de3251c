import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Fault } from '../../../core/event/fault.js';
import type { AccessRule } from '../endpoints/access-rule.js';
import type { ServedRoutes } from '../served-routes.js';

/** Sends a fault in the format of a protocol, with `sendEarly`. */
export type SendFault = (request: IncomingMessage, response: ServerResponse, fault: Fault) => void;

declare global {
  namespace Express {
    /** What middleware knows of a request: `response.locals`. */
    interface Locals {
      /** The routes of the component that the request has reached. */
      served: ServedRoutes;
      /** Who may call the route that matched. */
      access: AccessRule;
      /** Absent: faults are sent as problem documents. */
      sendFault?: SendFault;
    }
  }
}
