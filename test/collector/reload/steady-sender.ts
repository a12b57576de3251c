import { Agent, request } from 'node:http';
import { serverPayload } from '../../helpers/payloads.js';
import type { ResponseBody } from '../post.js';

/** Posts events continuously over kept connections, until it is stopped; every event has its own request id. */
export class SteadySender {
  readonly sent: string[] = [];
  /** Responses other than 200 with every event accepted, as text. */
  readonly faults: string[] = [];
  readonly #agent: Agent;
  readonly #runs: Promise<void>[];
  #isStopped = false;

  constructor(url: () => string, name: string, connections = 3) {
    this.#agent = new Agent({ keepAlive: true, maxSockets: connections });
    this.#runs = Array.from({ length: connections }, (_, run) => this.#run(url, `${name}-${run}`));
  }

  async stop(): Promise<void> {
    this.#isStopped = true;
    await Promise.all(this.#runs);
    this.#agent.destroy();
  }

  async #run(url: () => string, name: string): Promise<void> {
    for (let turn = 0; !this.#isStopped; turn++) {
      const ids = Array.from({ length: 5 }, (_, index) => `${name}-${turn}-${index}`);
      const fault = await this.#post(url(), ids).catch((error: unknown) => String(error));
      if (fault === undefined) this.sent.push(...ids);
      else this.faults.push(fault);
    }
  }

  #post(url: string, ids: readonly string[]): Promise<string | undefined> {
    const body = JSON.stringify(ids.map((request_id) => serverPayload({ request_id })));
    return new Promise((resolve, reject) => {
      const headers = { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) };
      const sending = request(url, { method: 'POST', agent: this.#agent, headers }, (response) => {
        let text = '';
        response.setEncoding('utf8').on('data', (part: string) => {
          text += part;
        });
        response.on('error', reject).on('end', () => {
          const { accepted } = JSON.parse(text) as ResponseBody;
          const isAccepted = response.statusCode === 200 && accepted === ids.length;
          resolve(isAccepted ? undefined : `${response.statusCode} ${text.slice(0, 300)}`);
        });
      });
      sending.on('error', reject);
      sending.end(body);
    });
  }
}
