import { readFileSync } from 'node:fs';
import { request } from 'node:https';
import { fileURLToPath } from 'node:url';

/** Path of a test certificate or key. */
export function tlsFile(name: string): string {
  return fileURLToPath(new URL(`../../fixtures/tls/${name}`, import.meta.url));
}

/** What a client received. */
export interface SecureResponse {
  readonly status: number;
  readonly text: string;
  /** Subject of the server's certificate. */
  readonly subject: unknown;
}

/** How a client connects; by default it trusts the test authority and sends no certificate. */
export interface SecureCall {
  readonly method?: string;
  readonly body?: string;
  readonly headers?: Record<string, string>;
  /** Name of its certificate among the fixtures. */
  readonly as?: string;
  readonly maxVersion?: 'TLSv1.2' | 'TLSv1.3';
}

/** Sends one request on a new connection. */
export function callSecurely(
  url: string,
  { method = 'POST', body = '[]', headers, as, maxVersion }: SecureCall = {},
): Promise<SecureResponse> {
  return new Promise((resolve, reject) => {
    const sent = request(url, {
      method,
      agent: false,
      ca: readFileSync(tlsFile('ca.pem')),
      headers: { 'content-type': 'application/json', ...headers },
      ...(as !== undefined && {
        cert: readFileSync(tlsFile(`${as}.pem`)),
        key: readFileSync(tlsFile(`${as}-key.pem`)),
      }),
      ...(maxVersion !== undefined && { maxVersion }),
    });
    sent.on('error', reject);
    sent.on('response', (response) => {
      const { socket } = response;
      const subject = 'getPeerCertificate' in socket ? peerOf(socket) : undefined;
      let text = '';
      response.setEncoding('utf8').on('data', (piece: string) => {
        text += piece;
      });
      response.on('end', () => resolve({ status: response.statusCode ?? 0, text, subject }));
    });
    sent.end(method === 'GET' ? undefined : body);
  });
}

function peerOf(socket: object): unknown {
  const { getPeerCertificate } = socket as { getPeerCertificate: () => { subject?: { CN?: string } } };
  return getPeerCertificate.call(socket).subject?.CN;
}
