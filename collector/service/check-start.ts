import { constants } from 'node:fs';
import { access, mkdtemp, readFile, rmdir, stat } from 'node:fs/promises';
import { createServer } from 'node:net';
import { dirname, join, resolve } from 'node:path';
import type { FoundFault } from '../../config/check/place-faults.js';
import { Fault } from '../../core/event/fault.js';
import { nodeFiles } from '../../core/storage/files/node-files.js';
import { hasCode } from '../../core/storage/files/system-error.js';
import { describeHolder } from '../../core/storage/lock/lock-holder.js';
import { readWriterLock } from '../../core/storage/lock/writer-lock.js';
import { parseTokenLines } from '../extensions/bearer-token-auth.js';
import { listen } from '../http/server/listen.js';
import { assertCertificates, assertKeyOf, assertPrivateKey, parseCertificates } from '../http/tls/pem.js';
import { FileFinder } from '../receivers/file-log/file-finder.js';
import type { StartNeed } from './start-needs.js';

/** No certificate chain and no list of tokens comes near it. */
const MAX_BYTES = 1024 * 1024;

const REASONS: Readonly<Record<string, string>> = {
  ENOENT: 'it does not exist (ENOENT)',
  EACCES: 'this user may not (EACCES)',
  EROFS: 'the file system is read-only (EROFS)',
  ENOTDIR: 'a part of its path is not a folder (ENOTDIR)',
};

/** The text of a file of at most 1 MiB, or a sentence that says why it cannot be read. */
async function readSmallFile(path: string): Promise<{ readonly text: string } | { readonly fault: string }> {
  try {
    const found = await stat(path);
    // A pipe may never end, or never begin.
    if (!found.isFile()) return { fault: `${path} is ${found.isDirectory() ? 'a folder' : 'no regular file'}` };
    if (found.size > MAX_BYTES) return { fault: `${path} is larger than 1 MiB` };
    return { text: await readFile(path, 'utf8') };
  } catch (error) {
    return { fault: `${path} cannot be read: ${systemReasonOf(error)}` };
  }
}

/** What the system says, in words where there are some. */
function systemReasonOf(error: unknown): string {
  const known = Object.entries(REASONS).find(([code]) => hasCode(error, code));
  return known?.[1] ?? (error instanceof Error ? error.message : String(error));
}

/** What was found on the machine: what would stop a start, and what is only doubtful. */
export interface StartFindings {
  readonly faults: readonly FoundFault[];
  readonly warnings: readonly FoundFault[];
}

/**
 * Looks at the machine as a start would, and leaves nothing behind: ports are taken and given back, an empty folder is made and removed. Faults are for the
 * setting that names what is wrong; `nowMs` is the time by which certificates are judged.
 */
export async function checkStart(needs: readonly StartNeed[], nowMs: number): Promise<StartFindings> {
  const faults: FoundFault[] = [];
  const warnings: FoundFault[] = [];
  // One after the other: two endpoints on one port must not find each other.
  for (const need of needs) {
    const message = await faultOf(need, nowMs);
    if (message !== undefined) (need.kind === 'files' ? warnings : faults).push({ path: need.path, message });
  }
  return { faults, warnings };
}

async function faultOf(need: StartNeed, nowMs: number): Promise<string | undefined> {
  switch (need.kind) {
    case 'port':
      return await faultOfPort(need);
    case 'data_folder':
      return await faultOfDataFolder(need.directory);
    case 'folder':
      return await faultOfFolder(need.directory);
    case 'certificates':
      return await faultOfCertificates(need.file, nowMs);
    case 'private_key':
      return await faultOfPrivateKey(need.file, need.certFile);
    case 'tokens':
      return await faultOfTokens(need.file);
    case 'files': {
      const found = await new FileFinder([need.pattern], need.exclude).paths();
      return found.length > 0 ? undefined : 'matches no file now; files that appear later are followed';
    }
  }
}

async function faultOfPort({ endpoint }: Extract<StartNeed, { kind: 'port' }>): Promise<string | undefined> {
  try {
    const { servers } = await listen(endpoint, createServer);
    await Promise.all(servers.map((server) => new Promise((resolve) => server.close(resolve))));
    return undefined;
  } catch (error) {
    if (error instanceof Fault) return error.message;
    throw error;
  }
}

/** Why a component could not keep its files in a folder, in a sentence; undefined when it could. Nothing that is made stays. */
async function faultOfFolder(directory: string): Promise<string | undefined> {
  const wanted = resolve(directory);
  for (let path = wanted; ; path = dirname(path)) {
    try {
      if (!(await stat(path)).isDirectory()) return `${path} is not a folder`;
      await access(path, constants.W_OK | constants.X_OK);
      return await faultOfCreation(path, wanted);
    } catch (error) {
      // A folder that is not there is made in the nearest one above it.
      if (hasCode(error, 'ENOENT') && path !== dirname(path)) continue;
      if (hasCode(error, 'ENOTDIR')) return `a part of the path ${path} is not a folder`;
      const what = path === wanted ? `the folder ${path} cannot be written` : `${wanted} cannot be made in ${path}`;
      return `${what}: ${systemReasonOf(error)}`;
    }
  }
}

/** Some folders may be written by their mode, and yet nothing can be made in them, for example in `/proc`: only trying tells. */
async function faultOfCreation(path: string, wanted: string): Promise<string | undefined> {
  try {
    await rmdir(await mkdtemp(join(path, '.faultline-validate-')));
    return undefined;
  } catch (error) {
    const reason = hasCode(error, 'ENOENT') ? 'the system makes no folders there (ENOENT)' : systemReasonOf(error);
    return path === wanted
      ? `nothing can be made in ${path}: ${reason}`
      : `${wanted} cannot be made in ${path}: ${reason}`;
  }
}

/** As `faultOfFolder` for the folder of a store, which only one process writes into. */
async function faultOfDataFolder(directory: string): Promise<string | undefined> {
  const fault = await faultOfFolder(directory);
  return fault ?? (await faultOfLock(resolve(directory)));
}

async function faultOfLock(directory: string): Promise<string | undefined> {
  try {
    const { isHeld, holder } = await readWriterLock(nodeFiles, directory);
    return isHeld ? `the folder is written by ${describeHolder(holder)}; stop it first` : undefined;
  } catch (error) {
    return `${join(directory, 'LOCK')} cannot be read: ${systemReasonOf(error)}`;
  }
}

/** Why the certificates of a file cannot be used, in a sentence; undefined when they can. `nowMs` decides what has expired. */
async function faultOfCertificates(path: string, nowMs: number): Promise<string | undefined> {
  const read = await readSmallFile(path);
  if ('fault' in read) return read.fault;
  const { text } = read;
  if (!text.includes('-----BEGIN CERTIFICATE-----')) return `${path} holds no certificate in PEM form`;
  if (!succeeds(() => assertCertificates(text))) return `${path} holds a certificate that cannot be read`;
  for (const { validFrom, validTo, subject } of parseCertificates(text)) {
    const name = subject === undefined ? 'without a name' : JSON.stringify(subject.split('\n').join(', '));
    if (Date.parse(validTo) < nowMs) return `${path}: the certificate ${name} expired on ${validTo}`;
    if (Date.parse(validFrom) > nowMs) return `${path}: the certificate ${name} is not valid before ${validFrom}`;
  }
  return undefined;
}

/** Why a private key cannot be used with its certificate; a certificate that cannot be read is not reported a second time. */
async function faultOfPrivateKey(path: string, certFile: string | undefined): Promise<string | undefined> {
  const read = await readSmallFile(path);
  if ('fault' in read) return read.fault;
  if (/-----BEGIN ENCRYPTED|^Proc-Type: 4,ENCRYPTED/m.test(read.text)) {
    return `${path} holds a key with a passphrase; store it without one`;
  }
  if (!succeeds(() => assertPrivateKey(read.text))) return `${path} holds no private key in PEM form`;
  const certificate = certFile === undefined ? { text: '' } : await readSmallFile(certFile);
  if ('fault' in certificate || !succeeds(() => assertCertificates(certificate.text))) return undefined;
  if (succeeds(() => assertKeyOf(certificate.text, read.text))) return undefined;
  return `${path} holds a key that does not belong to the certificate in ${certFile}`;
}

/** Why a file gives no token; what stands in it is not repeated. */
async function faultOfTokens(path: string): Promise<string | undefined> {
  const read = await readSmallFile(path);
  if ('fault' in read) return read.fault;
  try {
    return parseTokenLines(path, read.text).length > 0 ? undefined : `${path} holds no token; write one on each line`;
  } catch (error) {
    if (error instanceof Fault) return error.message;
    throw error;
  }
}

function succeeds(assert: () => void): boolean {
  try {
    assert();
    return true;
  } catch {
    return false;
  }
}
