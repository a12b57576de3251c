import type { Socket } from 'node:net';
import { createServer, type Server, type TLSSocket } from 'node:tls';
import type { OpenCertificate } from './certificates.js';

/** How TLS is spoken in front of a server. */
export interface TlsFrontOptions {
  readonly certificate: OpenCertificate;
  /** Whether clients must show a certificate of the authority that `certificate` names. */
  readonly wantsClientCertificate: boolean;
  /** Protocols of ALPN, for example `h2`. */
  readonly protocols: string[];
  /** Milliseconds that a handshake may take. */
  readonly handshakeTimeoutMs: number;
}

/** Takes a connection whose handshake went well. */
type OnSecure = (secure: TLSSocket) => void;

/**
 * Speaks TLS on connections that others accepted. It is node's own server without a socket to listen on, because only that refuses a client whose
 * certificate does not hold. A handshake that fails ends its connection and nothing else.
 */
export class TlsFront {
  readonly #options: TlsFrontOptions;
  readonly #server: Server;
  /** Sockets in their handshake by the address of the other end, the only thing that both layers know. */
  readonly #shaking = new Map<string, { readonly socket: Socket; readonly onSecure: OnSecure }>();

  constructor(options: TlsFrontOptions) {
    this.#options = options;
    const { certificate, wantsClientCertificate, protocols, handshakeTimeoutMs } = options;
    this.#server = createServer({
      ...certificate.context,
      requestCert: wantsClientCertificate,
      rejectUnauthorized: wantsClientCertificate,
      ALPNProtocols: protocols,
      handshakeTimeout: handshakeTimeoutMs,
    });
    this.#server.on('secureConnection', (secure) => this.#secured(secure));
    this.#server.on('tlsClientError', (_error, secure) => secure.destroy());
    certificate.onChange((context) => this.#server.setSecureContext(context));
  }

  /** Takes a connection as it was accepted; where its handshake fails nobody is told. */
  take(socket: Socket, onSecure: OnSecure): void {
    const key = keyOf(socket);
    this.#shaking.set(key, { socket, onSecure });
    socket.once('close', () => {
      if (this.#shaking.get(key)?.socket === socket) this.#shaking.delete(key);
    });
    // A handshake that nobody ends does not keep a collector alive that has stopped.
    socket.unref();
    // Whoever goes away in the middle is nobody's fault.
    socket.on('error', () => undefined);
    this.#server.emit('connection', socket);
  }

  /** Follows the certificate no more; connections that are open stay. */
  close(): void {
    this.#options.certificate.close();
  }

  #secured(secure: TLSSocket): void {
    const key = keyOf(secure);
    const shaken = this.#shaking.get(key);
    this.#shaking.delete(key);
    if (shaken === undefined) secure.destroy();
    else {
      shaken.socket.ref();
      shaken.onSecure(secure);
    }
  }
}

function keyOf({ remoteAddress, remotePort, localAddress, localPort }: Socket): string {
  return `${remoteAddress} ${remotePort} ${localAddress} ${localPort}`;
}
