import { Agent, request } from 'node:http';
import { connect } from 'node:http2';
import { pino } from 'pino';
import { Service } from '../../../../collector/service/service.js';
import { temporaryFolder } from '../../../helpers/temporary-folder.js';
import { settingsFor } from '../../running-service.js';

/** A route as the collector declared it in its log. */
export interface DeclaredRoute {
  readonly component: string;
  /** As configured. */
  readonly endpoint: string;
  /** A method and a path or pattern; `/prefix/*`; or a method of gRPC. */
  readonly route: string;
  /** Who may call it. */
  readonly access: string;
}

/** What was answered. */
export interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly body: string;
}

export interface Call {
  /** Default: that of the shared endpoint. */
  readonly port?: number;
  readonly method: string;
  readonly path: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
}

/** A collector in this process with every component that serves HTTP. All of them share one endpoint, except for gRPC. */
export interface EveryComponent {
  readonly service: Service;
  readonly routes: readonly DeclaredRoute[];
  readonly logged: readonly Record<string, unknown>[];
  readonly port: number;
  call(call: Call): Promise<Answer>;
  /** Calls a method of gRPC with an empty message, and returns `grpc-status`. */
  callGrpc(path: string, headers: Readonly<Record<string, string>>): Promise<string>;
  close(): Promise<void>;
}

/** A page that may call what serves pages at all. */
export const LISTED = 'https://page.example';

const HTTP = '127.0.0.1:0';
/** Only ends a wait for an answer that never comes. */
const ANSWER_MS = 60_000;
const CORS = `cors.allowed_origins=["${LISTED}"]`;

export async function startEveryComponent(...sets: string[]): Promise<EveryComponent> {
  const logged: Record<string, unknown>[] = [];
  const logger = pino({ level: 'debug' }, { write: (line: string) => void logged.push(JSON.parse(line)) });
  const settings = settingsFor(
    await temporaryFolder(),
    'service.pipelines.events.receivers=[events, otlp, sentry]',
    `receivers.events.endpoint=${HTTP}`,
    `receivers.events.${CORS}`,
    `receivers.otlp.protocols.http.endpoint=${HTTP}`,
    `receivers.otlp.protocols.http.${CORS}`,
    'receivers.otlp.protocols.grpc.endpoint=127.0.0.1:0',
    `receivers.sentry.endpoint=${HTTP}`,
    'receivers.sentry.tunnel_path=/tunnel',
    `extensions.query.endpoint=${HTTP}`,
    `extensions.query.${CORS}`,
    'extensions.mcp={}',
    `extensions.health_check.endpoint=${HTTP}`,
    'service.telemetry.metrics.level=normal',
    `service.telemetry.metrics.address=${HTTP}`,
    'service.extensions=[query, mcp, health_check]',
    ...sets,
  );
  const service = new Service(settings, { logger });
  await service.start();
  const urls = service.describe().receivers.map(({ url }) => new URL(url));
  const port = Number(urls.find(({ protocol }) => protocol === 'http:')?.port);
  const grpc = urls.find(({ protocol }) => protocol === 'grpc:');
  const agent = new Agent({ keepAlive: true });
  return {
    service,
    logged,
    port,
    routes: logged.filter(({ msg }) => msg === 'serves a route') as unknown as DeclaredRoute[],
    call: (call) => send(agent, call.port ?? port, call),
    callGrpc: (path, headers) => sendGrpc(`http://127.0.0.1:${grpc?.port}`, path, headers),
    async close() {
      agent.destroy();
      await service.shutdown();
    },
  };
}

function send(agent: Agent, port: number, { method, path, headers, body }: Call): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const sent = request({ host: '127.0.0.1', port, agent, method, path, headers: { ...headers } }, (response) => {
      const { statusCode: status = 0, headers: answered } = response;
      let text = '';
      response.setEncoding('utf8').on('data', (piece: string) => {
        text += piece;
      });
      // A stream does not end, so its status is the answer.
      if (answered['content-length'] === undefined && method !== 'HEAD') {
        resolve({ status, headers: answered, body: '' });
        response.destroy();
      } else response.on('end', () => resolve({ status, headers: answered, body: text }));
    });
    sent.on('error', reject);
    sent.setTimeout(ANSWER_MS, () => sent.destroy(new Error(`${method} ${path.slice(0, 200)} is not answered`)));
    if (body !== undefined) sent.setHeader('content-length', Buffer.byteLength(body));
    sent.end(body);
  });
}

function sendGrpc(origin: string, path: string, headers: Readonly<Record<string, string>>): Promise<string> {
  return new Promise((resolve, reject) => {
    const session = connect(origin).on('error', reject);
    const stream = session.request({
      ':method': 'POST',
      ':path': path,
      'content-type': 'application/grpc',
      te: 'trailers',
      ...headers,
    });
    const take = (given: Record<string, unknown>) => {
      if (given['grpc-status'] === undefined) return;
      resolve(String(given['grpc-status']));
      session.close();
    };
    stream.on('response', take).on('trailers', take).on('error', reject).resume();
    stream.end(Buffer.alloc(5));
  });
}
