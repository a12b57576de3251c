import type { Socket } from 'node:net';
import { createServer, type Server, type TLSSocket } from 'node:tls';
import { RequestFault } from '../messages/http-fault.js';
import { answerRaw } from '../messages/raw-response.js';
import type { OpenCertificate } from './certificates.js';
import { handshakeRefusalOf, type TlsRefusal, tlsRefusalOf } from './tls-failure.js';

/** How TLS is spoken in front of a server. */
export interface TlsFrontOptions {
  readonly certificate: OpenCertificate;
  /** Whether clients must show a certificate of the authority that `certificate` names. */
  readonly wantsClientCertificate: boolean;
  /** Protocols of ALPN, for example `h2`. */
  readonly protocols: string[];
  /** Milliseconds from a connection to the end of its handshake. */
  readonly handshakeTimeoutMs: number;
  /** Told of each client that is kept out, except those that went away themselves. */
  readonly onRefused: (refusal: TlsRefusal) => void;
}

/** Takes a connection whose handshake went well. */
type OnSecure = (secure: TLSSocket) => void;

interface Shaking {
  readonly socket: Socket;
  readonly onSecure: OnSecure;
  readonly timer: NodeJS.Timeout;
}

/** Type of the record that begins every handshake (RFC 8446, 5.1); no request of HTTP begins with it. */
const HANDSHAKE_RECORD = 0x16;

/** Both ends of a connection, which every layer of it knows. */
interface ConnectionEnds {
  readonly remoteAddress?: string | undefined;
  readonly remotePort?: number | undefined;
  readonly localAddress?: string | undefined;
  readonly localPort?: number | undefined;
}

/**
 * Speaks TLS on connections that others accepted. It is node's own server without a socket to listen on, because only that refuses a client whose
 * certificate does not hold. A handshake that fails ends its connection and nothing else; who does not begin one is told that https is spoken.
 */
export class TlsTerminator {
  readonly #options: TlsFrontOptions;
  readonly #server: Server;
  /** Sockets in their handshake by the address of the other end, the only thing that both layers know. */
  readonly #shaking = new Map<string, Shaking>();
  /** Addresses of those that were closed in this turn, the first one first: a certificate that does not hold is told after that, by a socket that has none. */
  readonly #gone = new Set<{ readonly peer: string | undefined }>();

  constructor(options: TlsFrontOptions) {
    this.#options = options;
    const { certificate, wantsClientCertificate, protocols, handshakeTimeoutMs } = options;
    this.#server = createServer({
      ...certificate.context,
      requestCert: wantsClientCertificate,
      rejectUnauthorized: wantsClientCertificate,
      ALPNProtocols: protocols,
      // Ours ends it before, and counts from the connection on.
      handshakeTimeout: 2 * handshakeTimeoutMs,
    });
    this.#server.on('secureConnection', (secure) => this.#secured(secure));
    this.#server.on('tlsClientError', (error, secure) => this.#failed(error, secure));
    certificate.onChange((context) => this.#server.setSecureContext(context));
  }

  /** Takes a connection as it was accepted. */
  take(socket: Socket, onSecure: OnSecure): void {
    const key = connectionKey(socket);
    const timer = setTimeout(() => {
      this.#refused(tlsRefusalOf('ERR_TLS_HANDSHAKE_TIMEOUT', socket.remoteAddress));
      socket.destroy();
    }, this.#options.handshakeTimeoutMs).unref();
    this.#shaking.set(key, { socket, onSecure, timer });
    socket.once('close', () => {
      clearTimeout(timer);
      if (this.#shaking.get(key)?.socket !== socket) return;
      this.#shaking.delete(key);
      const gone = { peer: socket.remoteAddress };
      this.#gone.add(gone);
      setImmediate(() => this.#gone.delete(gone));
    });
    // A handshake that nobody ends does not keep a collector alive that has stopped.
    socket.unref();
    // Ignore clients that disconnect during the handshake.
    socket.on('error', () => undefined);
    peekFirstByte(socket, (byte) => {
      if (byte === HANDSHAKE_RECORD) this.#server.emit('connection', socket);
      else {
        this.#refused(tlsRefusalOf('NOT_TLS', socket.remoteAddress));
        answerRaw(socket, httpsRequired());
      }
    });
  }

  /** Follows the certificate no more; connections that are open stay. */
  close(): void {
    this.#options.certificate.close();
  }

  #secured(secure: TLSSocket): void {
    const key = connectionKey(secure);
    const shaken = this.#shaking.get(key);
    this.#shaking.delete(key);
    if (shaken === undefined) secure.destroy();
    else {
      clearTimeout(shaken.timer);
      shaken.socket.ref();
      shaken.onSecure(secure);
    }
  }

  #failed(error: Error, secure: TLSSocket): void {
    const refusal = handshakeRefusalOf(error, secure, secure.remoteAddress ?? this.#takeGone());
    if (refusal !== undefined) this.#refused(refusal);
    secure.destroy();
  }

  #takeGone(): string | undefined {
    for (const gone of this.#gone) {
      this.#gone.delete(gone);
      return gone.peer;
    }
    return undefined;
  }

  #refused(refusal: TlsRefusal): void {
    this.#options.onRefused(refusal);
  }
}

function httpsRequired(): RequestFault {
  return new RequestFault('HTTPS_REQUIRED', 'this endpoint speaks TLS: call it with https:// instead of http://');
}

/** Tells the first byte that a client sends, and leaves it to be read. Nothing is told of a client that goes away before. */
function peekFirstByte(socket: Socket, onByte: (byte: number) => void): void {
  const look = (): void => {
    const chunk: Buffer | null = socket.read();
    const byte = chunk?.[0];
    if (chunk === null || byte === undefined) return;
    socket.off('readable', look);
    socket.unshift(chunk);
    onByte(byte);
  };
  socket.on('readable', look);
}

/** The same for each layer of one connection, for example a socket and what TLS makes of it. */
function connectionKey({ remoteAddress, remotePort, localAddress, localPort }: ConnectionEnds): string {
  return `${remoteAddress} ${remotePort} ${localAddress} ${localPort}`;
}
