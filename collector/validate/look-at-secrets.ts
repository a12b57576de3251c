import { Fault } from '../../core/event/fault.js';
import { parseTokenLines } from '../extensions/bearer-token-auth/token-lines.js';
import { assertCertificates, assertKeyOf, assertPrivateKey, parseCertificates } from '../http/pem.js';
import { readSmallFile } from './read-small-file.js';

/** Why the certificates of a file cannot be used, in a sentence; undefined when they can. `nowMs` decides what has expired. */
export async function faultOfCertificates(path: string, nowMs: number): Promise<string | undefined> {
  const read = await readSmallFile(path);
  if ('fault' in read) return read.fault;
  const { text } = read;
  if (!text.includes('-----BEGIN CERTIFICATE-----')) return `${path} holds no certificate in PEM form`;
  if (!holds(() => assertCertificates(text))) return `${path} holds a certificate that cannot be read`;
  for (const { validFrom, validTo, subject } of parseCertificates(text)) {
    const name = subject === undefined ? 'without a name' : JSON.stringify(subject.split('\n').join(', '));
    if (Date.parse(validTo) < nowMs) return `${path}: the certificate ${name} expired on ${validTo}`;
    if (Date.parse(validFrom) > nowMs) return `${path}: the certificate ${name} is not valid before ${validFrom}`;
  }
  return undefined;
}

/** Why a private key cannot be used with its certificate; a certificate that cannot be read is not reported a second time. */
export async function faultOfPrivateKey(path: string, certFile: string | undefined): Promise<string | undefined> {
  const read = await readSmallFile(path);
  if ('fault' in read) return read.fault;
  if (/-----BEGIN ENCRYPTED|^Proc-Type: 4,ENCRYPTED/m.test(read.text)) {
    return `${path} holds a key with a passphrase; store it without one`;
  }
  if (!holds(() => assertPrivateKey(read.text))) return `${path} holds no private key in PEM form`;
  const certificate = certFile === undefined ? { text: '' } : await readSmallFile(certFile);
  if ('fault' in certificate || !holds(() => assertCertificates(certificate.text))) return undefined;
  if (holds(() => assertKeyOf(certificate.text, read.text))) return undefined;
  return `${path} holds a key that does not belong to the certificate in ${certFile}`;
}

/** Why a file gives no token; what stands in it is not repeated. */
export async function faultOfTokens(path: string): Promise<string | undefined> {
  const read = await readSmallFile(path);
  if ('fault' in read) return read.fault;
  try {
    return parseTokenLines(path, read.text).length > 0 ? undefined : `${path} holds no token; write one on each line`;
  } catch (error) {
    if (error instanceof Fault) return error.message;
    throw error;
  }
}

function holds(assert: () => void): boolean {
  try {
    assert();
    return true;
  } catch {
    return false;
  }
}
