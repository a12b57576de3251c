import type { Request, Response } from 'express';
import type { FailureActions, FailureReader, FailureReleases } from '../../core/contract/reader.js';
import type { JsonObject } from '../../core/event/json.js';
import type { Stats } from '../../generated/reader-answers.js';
import { sendJson } from '../http/messages/respond.js';
import type { Ledger } from '../telemetry/ledger.js';
import type { ChangeStreams } from './change-streams.js';
import type { GroupReader } from './group-reader.js';
import { type ParameterTable, type ParameterValues, parseParameters } from './parameters.js';
import type { RegroupJobs } from './regroup-jobs.js';

/** Response header of answers that lack a peer's data. */
export const INCOMPLETE = 'faultline-incomplete';

/** What the reading API serves. */
export interface ReadingSources {
  readonly reader: () => FailureReader;
  readonly actions: () => FailureActions;
  readonly releases: () => FailureReleases;
  readonly streams: ChangeStreams;
  readonly regroupings: RegroupJobs;
  readonly ledger: Ledger;
  readonly mayAct: (request: Request) => boolean;
  readonly serviceStats: () => Pick<Stats, 'endpoints' | 'addresses' | 'exporters' | 'gateways' | 'retention'>;
}

/** What a route gets to serve one request; of a group, `reader` and `actions` are those of the whole group. */
export interface ApiCall extends ReadingSources {
  /** Of this collector's store. */
  readonly ownReader: ReadingSources['reader'];
  /** Absent: the call is about this collector only. */
  readonly group?: GroupReader;
  /** Names of the members of the group that the answer lacks. */
  readonly missing: () => readonly string[];
  readonly request: Request;
  readonly response: Response;
}

interface DocumentedRoute<Table extends ParameterTable> {
  /** With `{name}` for a parameter. */
  readonly path: string;
  /** `get` reads; the others act, also for permissions. */
  readonly method: 'get' | 'post' | 'put' | 'delete';
  readonly operationId: string;
  readonly summary: string;
  readonly description?: string;
  readonly parameters: Table;
  /** Schema of the body; absent: the request has none. */
  readonly body?: JsonObject;
  /** By status, besides the refusals that every route has. */
  readonly responses: JsonObject;
}

/** A route of the reading API, as it is served and documented. */
export interface ApiRoute extends DocumentedRoute<ParameterTable> {
  readonly serve: (call: ApiCall) => Promise<void>;
}

/** Creates a route whose parameters are parsed before it is served. */
export function route<Table extends ParameterTable>(
  documented: DocumentedRoute<Table>,
  serve: (values: ParameterValues<Table>, call: ApiCall) => Promise<void>,
): ApiRoute {
  return { ...documented, serve: async (call) => serve(parseParameters(call.request, documented.parameters), call) };
}

/** Sends what was read; a header names what is missing. */
export function sendAnswer({ response, missing }: ApiCall, body: object): void {
  const names = missing().join(', ');
  sendJson(response, 200, JSON.stringify(body), names === '' ? {} : { [INCOMPLETE]: names });
}
