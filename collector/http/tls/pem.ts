import { createPrivateKey, X509Certificate } from 'node:crypto';
import { createSecureContext } from 'node:tls';

/** Bounded, so that text without an end marker is not scanned repeatedly. */
const CERTIFICATE = /-----BEGIN CERTIFICATE-----[^-]{1,100000}-----END CERTIFICATE-----/g;

/** Parses every certificate of a PEM text; empty if it has none. Throws if one is invalid, also after the first, where OpenSSL would ignore it. */
export function parseCertificates(text: string): readonly X509Certificate[] {
  return (text.match(CERTIFICATE) ?? []).map((one) => new X509Certificate(one));
}

/** Throws if a text has no valid PEM certificate. */
export function assertCertificates(text: string): void {
  if (parseCertificates(text).length === 0) throw new Error('no certificate');
}

/** Throws if a text is not a PEM private key without a passphrase. */
export function assertPrivateKey(key: string): void {
  // A secure context would accept an empty text as a missing key.
  createPrivateKey(key);
}

/** Throws if a private key does not belong to the first certificate of a text. */
export function assertKeyOf(cert: string, key: string): void {
  createSecureContext({ cert, key });
}
