import type { ServerPool } from '../http/server-pool.js';
import type { Meters } from './meters.js';

/** Counts the requests of one receiver by what they were answered. */
export interface RequestCounter {
  /** The status of HTTP that a request was answered with, or would have been; undefined where its sender left first. */
  answered(status: number | undefined): void;
}

/** What a sender may try again; for all else it has to change the request. */
const REFUSED = [429, 503];

/** Binds the counters of a receiver and transport, which are 0 from then on. */
export function createRequestCounter(meters: Meters, receiver: string, transport: 'http' | 'grpc'): RequestCounter {
  const of = (outcome: string) => meters.counter('faultline_receiver_requests', { receiver, transport, outcome });
  const [success, refused, failure] = [of('success'), of('refused'), of('failure')];
  return {
    answered(status) {
      if (status !== undefined && status < 300) success.add();
      else if (status !== undefined && REFUSED.includes(status)) refused.add();
      else failure.add();
    },
  };
}

/** The same servers, whose doors count what a receiver answers. A browser that asks whether a page may send is not counted. */
export function countingServers(servers: ServerPool, meters: Meters, receiver: string): ServerPool {
  let requests: RequestCounter | undefined;
  return {
    ...servers,
    door(endpoint, options) {
      requests ??= createRequestCounter(meters, receiver, 'http');
      const { answered } = requests;
      return servers.door(endpoint, { ...options, onAnswered: answered });
    },
  };
}
