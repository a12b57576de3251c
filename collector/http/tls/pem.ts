import { createPrivateKey, X509Certificate } from 'node:crypto';
import { createSecureContext } from 'node:tls';

/** The length of one is bounded, so that what is no certificate is not searched again and again. */
const CERTIFICATE = /-----BEGIN CERTIFICATE-----[^-]{1,100000}-----END CERTIFICATE-----/g;

/** Every certificate of a text in PEM form; empty where it holds none. Throws where one cannot be read, also behind the first, which OpenSSL would pass over in silence. */
export function parseCertificates(text: string): readonly X509Certificate[] {
  return (text.match(CERTIFICATE) ?? []).map((one) => new X509Certificate(one));
}

/** Throws where a text holds no certificate in PEM form, or one that cannot be read. */
export function assertCertificates(text: string): void {
  if (parseCertificates(text).length === 0) throw new Error('no certificate');
}

/** Throws where a text is no private key in PEM form that works without a passphrase. */
export function assertPrivateKey(key: string): void {
  // A secure context takes an empty text for no key at all.
  createPrivateKey(key);
}

/** Throws where a private key is not that of the first certificate of a text. */
export function assertKeyOf(cert: string, key: string): void {
  createSecureContext({ cert, key });
}
