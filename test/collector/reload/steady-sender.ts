import { Agent, request } from 'node:http';
import { serverPayload } from '../../helpers/payloads.js';
import type { AnswerBody } from '../answer.js';

/** Posts events without pause over kept connections, until it is stopped; every event has a request id of its own. */
export class SteadySender {
  readonly sent: string[] = [];
  /** What was not 200 with every event taken, in words. */
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
      const ids = Array.from({ length: 5 }, (_, place) => `${name}-${turn}-${place}`);
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
          const { accepted } = JSON.parse(text) as AnswerBody;
          const isTaken = response.statusCode === 200 && accepted === ids.length;
          resolve(isTaken ? undefined : `${response.statusCode} ${text.slice(0, 300)}`);
        });
      });
      sending.on('error', reject);
      sending.end(body);
    });
  }
}
