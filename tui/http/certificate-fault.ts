import { Fault } from '../../core/event/fault.js';

/** What OpenSSL and Node.js say of a certificate that does not hold; X509_verify_cert_error codes and Node's own. */
const CERTIFICATE_CODE =
  /^(?:CERT_|UNABLE_TO_(?:GET|VERIFY|DECRYPT)_|DEPTH_ZERO_SELF_SIGNED_CERT$|SELF_SIGNED_CERT_IN_CHAIN$|ERR_TLS_CERT_ALTNAME_INVALID$|HOSTNAME_MISMATCH$|INVALID_CA$|INVALID_PURPOSE$)/;
const WANTED = /certificate required|bad certificate|handshake failure/i;

/** The fault of a connection that failed at a certificate; undefined where that was not why. */
export function certificateFault(cause: Error, where: string): Fault | undefined {
  const code = 'code' in cause ? String(cause.code) : '';
  if (code === 'ERR_TLS_CERT_ALTNAME_INVALID' || code === 'HOSTNAME_MISMATCH') {
    const sentence = `The certificate of ${where} is for another name (${cause.message}). Call the collector by a name of its certificate.`;
    return new Fault('CERTIFICATE_UNTRUSTED', sentence, { cause });
  }
  if (CERTIFICATE_CODE.test(code)) {
    const sentence = `The certificate of ${where} is not trusted (${code}). Name the file of the authority that signed it: NODE_EXTRA_CA_CERTS=ca.pem faultline …`;
    return new Fault('CERTIFICATE_UNTRUSTED', sentence, { cause });
  }
  if (code.startsWith('ERR_SSL_') && WANTED.test(cause.message)) {
    const sentence = `The collector at ${where} wants a certificate of its clients, which this command cannot show: read through an endpoint without client_ca_file.`;
    return new Fault('CERTIFICATE_WANTED', sentence, { cause });
  }
  return undefined;
}
