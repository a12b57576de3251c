import type { Router } from 'express';
import type { TransportSettings } from './server/endpoint-transport.js';

/** The routes of a component on one endpoint. They are open from the end of its `start` until its `shutdown`, and answer 503 otherwise. */
export interface EndpointRoutes {
  /** `host:port`. Components with the same text share a server. */
  readonly endpoint: string;
  /** Routes only, each of which begins with `allow`; the last one may be followed by error-handling middleware. */
  readonly router: Router;
  /** Host names allowed besides loopback names and the endpoint's own. Default none. */
  readonly allowedHosts?: readonly string[];
  /** Default: the settings of the components that share the endpoint, else plaintext with the schema's limits. */
  readonly transport?: TransportSettings;
  /** Whether they report the health of other components: then they answer also while those are exchanged. Default false. */
  readonly reportsHealth?: boolean;
  /** Whether they leave the paths to others that another component, or another setting of this one, serves. Default false. */
  readonly yields?: boolean;
  /** The key of the endpoint, which the fault names if it cannot listen. Absent: the fault names the component only. */
  readonly setting?: string;
  /** Whether a taken port is logged instead of a fault. Default false. */
  readonly toleratesTakenPort?: boolean;
}
