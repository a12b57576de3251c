import type { TLSSocket } from 'node:tls';
import type { Logger } from 'pino';
import { codeOf } from '../../../core/storage/files/system-error.js';
import type { Counter, Meters } from '../../telemetry/meters.js';

/** Why a TLS connection was refused. */
export interface TlsRefusal {
  readonly reason: TlsRefusalReason;
  /** The code of OpenSSL or node. */
  readonly code: string;
  /** What happened and how to fix it, without input of the client. */
  readonly sentence: string;
  /** Address of the client; undefined if it is disconnected. */
  readonly peer: string | undefined;
}

export type TlsRefusalReason = 'no_certificate' | 'certificate_refused' | 'not_tls' | 'timeout' | 'handshake';

type Meaning = readonly [TlsRefusalReason, string];

const UNKNOWN_AUTHORITY: Meaning = [
  'certificate_refused',
  'its certificate is not signed by an authority of tls.client_ca_file',
];
const OLD_VERSION: Meaning = ['handshake', 'it speaks no version of TLS from tls.min_version on'];
const DISTRUSTS: Meaning = ['handshake', 'it does not trust the certificate of this endpoint'];

const MEANINGS: ReadonlyMap<string, Meaning> = new Map([
  [
    'ERR_SSL_PEER_DID_NOT_RETURN_A_CERTIFICATE',
    ['no_certificate', 'it sent no certificate, which tls.client_ca_file requires'],
  ],
  ['CERT_HAS_EXPIRED', ['certificate_refused', 'its certificate has expired']],
  ['CERT_NOT_YET_VALID', ['certificate_refused', 'its certificate is not valid yet']],
  ['INVALID_PURPOSE', ['certificate_refused', 'its certificate is not meant for clients']],
  ['CERT_SIGNATURE_FAILURE', ['certificate_refused', 'the signature of its certificate is invalid']],
  ['DEPTH_ZERO_SELF_SIGNED_CERT', UNKNOWN_AUTHORITY],
  ['SELF_SIGNED_CERT_IN_CHAIN', UNKNOWN_AUTHORITY],
  ['UNABLE_TO_GET_ISSUER_CERT', UNKNOWN_AUTHORITY],
  ['UNABLE_TO_GET_ISSUER_CERT_LOCALLY', UNKNOWN_AUTHORITY],
  ['UNABLE_TO_VERIFY_LEAF_SIGNATURE', UNKNOWN_AUTHORITY],
  ['ERR_SSL_UNSUPPORTED_PROTOCOL', OLD_VERSION],
  ['ERR_SSL_VERSION_TOO_LOW', OLD_VERSION],
  ['ERR_SSL_WRONG_VERSION_NUMBER', OLD_VERSION],
  ['ERR_SSL_TLSV1_ALERT_UNKNOWN_CA', DISTRUSTS],
  ['ERR_SSL_SSLV3_ALERT_BAD_CERTIFICATE', DISTRUSTS],
  ['ERR_SSL_SSLV3_ALERT_CERTIFICATE_UNKNOWN', DISTRUSTS],
  ['ERR_SSL_NO_SHARED_CIPHER', ['handshake', 'it has no cipher in common with this endpoint']],
  ['ERR_SSL_NO_APPLICATION_PROTOCOL', ['handshake', 'it speaks none of the protocols of this endpoint']],
  ['ERR_TLS_HANDSHAKE_TIMEOUT', ['timeout', 'it did not finish its handshake within connections.read_header_timeout']],
  ['NOT_TLS', ['not_tls', 'it did not use TLS: call https']],
]);

/** Explains a code of OpenSSL or node to an operator. */
export function tlsRefusalOf(code: string, peer: string | undefined, isOfCertificate = false): TlsRefusal {
  const [reason, sentence] = MEANINGS.get(code) ?? [
    isOfCertificate ? 'certificate_refused' : 'handshake',
    isOfCertificate ? 'its certificate is invalid' : 'its TLS handshake failed',
  ];
  return { reason, code, sentence, peer };
}

/** Why a handshake failed; undefined if the client disconnected. */
export function handshakeRefusalOf(
  error: unknown,
  { authorizationError }: TLSSocket,
  peer: string | undefined,
): TlsRefusal | undefined {
  // A string, despite its type.
  const ofCertificate = typeof authorizationError === 'string' ? authorizationError : codeOf(authorizationError);
  if (ofCertificate !== undefined) return tlsRefusalOf(ofCertificate, peer, true);
  const code = codeOf(error);
  return code === undefined || code === 'ECONNRESET' || code === 'EPIPE' ? undefined : tlsRefusalOf(code, peer);
}

interface TlsRefusalsOptions {
  /** The configured text. */
  readonly endpoint: string;
  readonly meters: Meters;
  readonly logger: Logger;
  /** Clock in milliseconds, default monotonic. */
  readonly nowMs?: () => number;
}

interface LoggedReason {
  readonly counter: Counter;
  /** Time of the last log message. */
  atMs: number;
  /** Refusals since then. */
  untold: number;
}

const QUIET_MS = 60_000;

/** Creates what counts clients that TLS refuses, and logs at most one refusal per reason and minute, with the number of those not logged. */
export function createTlsRefusals({ endpoint, meters, logger, nowMs = () => performance.now() }: TlsRefusalsOptions) {
  const reasons = new Map<TlsRefusalReason, LoggedReason>();

  function loggedOf(reason: TlsRefusalReason): LoggedReason {
    const counter = meters.counter('faultline_tls_refused_connections', { endpoint, reason });
    const logged = reasons.get(reason) ?? { counter, atMs: Number.NEGATIVE_INFINITY, untold: 0 };
    reasons.set(reason, logged);
    return logged;
  }

  return ({ reason, code, sentence, peer }: TlsRefusal): void => {
    const logged = loggedOf(reason);
    logged.counter.add();
    const now = nowMs();
    if (now - logged.atMs < QUIET_MS) {
      logged.untold++;
      return;
    }
    logger.warn({ endpoint, peer, code, untold: logged.untold }, `a client was refused: ${sentence}`);
    logged.atMs = now;
    logged.untold = 0;
  };
}
