import type { Socket } from 'node:net';
import { createServer, type Server, type TLSSocket } from 'node:tls';
import { RequestFault } from '../messages/http-fault.js';
import { answerRaw } from '../messages/problem.js';
import type { OpenCertificate } from './certificates.js';
import { handshakeRefusalOf, type TlsRefusal, tlsRefusalOf } from './tls-failure.js';

interface TlsTerminatorOptions {
  readonly certificate: OpenCertificate;
  /** Whether clients must send a certificate that the authority of `certificate` signed. */
  readonly wantsClientCertificate: boolean;
  /** Protocols of ALPN, for example `h2`. */
  readonly protocols: string[];
  /** Milliseconds from the connection to the end of its handshake. */
  readonly handshakeTimeoutMs: number;
  /** Called for each refused client, except those that disconnected. */
  readonly onRefused: (refusal: TlsRefusal) => void;
}

type OnSecure = (secure: TLSSocket) => void;

/** Type of the record that starts every handshake (RFC 8446, 5.1); no HTTP request starts with it. */
const HANDSHAKE_RECORD = 0x16;

/** Terminates TLS by a server of node without a socket, as only that enforces client certificates. Plaintext is told to use https. */
export class TlsTerminator {
  readonly #options: TlsTerminatorOptions;
  readonly #server: Server;
  /** Sockets in their handshake by connection key, the only thing that both layers know. */
  readonly #handshakes = new Map<string, { socket: Socket; onSecure: OnSecure; timer: NodeJS.Timeout }>();
  /** Peers closed in this turn, oldest first: node reports an invalid certificate later, on a socket without an address. */
  readonly #closedPeers = new Set<{ readonly peer: string | undefined }>();

  constructor(options: TlsTerminatorOptions) {
    this.#options = options;
    const { certificate, wantsClientCertificate, protocols, handshakeTimeoutMs } = options;
    this.#server = createServer({
      ...certificate.context,
      requestCert: wantsClientCertificate,
      rejectUnauthorized: wantsClientCertificate,
      ALPNProtocols: protocols,
      // Our timer fires earlier, and starts with the connection.
      handshakeTimeout: 2 * handshakeTimeoutMs,
    });
    this.#server.on('secureConnection', (secure) => this.#handshakeDone(secure));
    this.#server.on('tlsClientError', (error, secure) => this.#handshakeFailed(error, secure));
    certificate.onChange((context) => this.#server.setSecureContext(context));
  }

  /** Starts the handshake of an accepted connection. */
  accept(socket: Socket, onSecure: OnSecure): void {
    const key = connectionKey(socket);
    const timer = setTimeout(() => {
      this.#options.onRefused(tlsRefusalOf('ERR_TLS_HANDSHAKE_TIMEOUT', socket.remoteAddress));
      socket.destroy();
    }, this.#options.handshakeTimeoutMs).unref();
    this.#handshakes.set(key, { socket, onSecure, timer });
    socket.once('close', () => {
      clearTimeout(timer);
      if (this.#handshakes.get(key)?.socket !== socket) return;
      this.#handshakes.delete(key);
      const gone = { peer: socket.remoteAddress };
      this.#closedPeers.add(gone);
      setImmediate(() => this.#closedPeers.delete(gone));
    });
    // An unfinished handshake must not keep a stopped collector alive.
    socket.unref();
    // Ignore clients that disconnect during the handshake.
    socket.on('error', () => undefined);
    peekFirstByte(socket, (byte) => {
      if (byte === HANDSHAKE_RECORD) this.#server.emit('connection', socket);
      else {
        this.#options.onRefused(tlsRefusalOf('NOT_TLS', socket.remoteAddress));
        const sentence = 'this endpoint speaks TLS: call it with https:// instead of http://';
        answerRaw(socket, new RequestFault('HTTPS_REQUIRED', sentence));
      }
    });
  }

  /** Stops watching the certificate; open connections stay. */
  close(): void {
    this.#options.certificate.close();
  }

  #handshakeDone(secure: TLSSocket): void {
    const key = connectionKey(secure);
    const shaken = this.#handshakes.get(key);
    this.#handshakes.delete(key);
    if (shaken === undefined) secure.destroy();
    else {
      clearTimeout(shaken.timer);
      shaken.socket.ref();
      shaken.onSecure(secure);
    }
  }

  #handshakeFailed(error: Error, secure: TLSSocket): void {
    const refusal = handshakeRefusalOf(error, secure, secure.remoteAddress ?? this.#nextClosedPeer());
    if (refusal !== undefined) this.#options.onRefused(refusal);
    secure.destroy();
  }

  #nextClosedPeer(): string | undefined {
    for (const gone of this.#closedPeers) {
      this.#closedPeers.delete(gone);
      return gone.peer;
    }
    return undefined;
  }
}

/** Calls `onByte` with the first byte, which stays readable; not called if the client disconnects before. */
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

/** Equal for each layer of one connection. */
function connectionKey({ remoteAddress, remotePort, localAddress, localPort }: Socket): string {
  return `${remoteAddress} ${remotePort} ${localAddress} ${localPort}`;
}
