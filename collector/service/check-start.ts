import { constants } from 'node:fs';
import { access, mkdtemp, readFile, rmdir, stat } from 'node:fs/promises';
import { createServer } from 'node:net';
import { dirname, join, resolve } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import type { SchemaNode } from '../../config/check/config-schema.js';
import type { SettingsFault } from '../../config/check/locate-faults.js';
import { Fault, messageOf } from '../../core/event/fault.js';
import { nodeFiles } from '../../core/storage/files/node-files.js';
import { hasCode } from '../../core/storage/files/system-error.js';
import { describeHolder } from '../../core/storage/lock/lock-holder.js';
import { readWriterLock } from '../../core/storage/lock/writer-lock.js';
import type { Settings } from '../../generated/settings.js';
import { parseTokenLines } from '../extensions/bearer-token-auth.js';
import { listen } from '../http/server/listen.js';
import { assertCertificates, assertKeyOf, assertPrivateKey, parseCertificates } from '../http/tls/certificates.js';
import { findLogFiles } from '../receivers/file-log/log-file-stat.js';
import { type StartNeed, startNeedsOf } from './start-needs.js';

/** Larger than any certificate chain or list of tokens. */
const MAX_BYTES = 1024 * 1024;

const REASONS: Readonly<Record<string, string>> = {
  ENOENT: 'it does not exist (ENOENT)',
  EACCES: 'permission denied (EACCES)',
  EROFS: 'the file system is read-only (EROFS)',
  ENOTDIR: 'a part of its path is not a folder (ENOTDIR)',
};

async function readSmallFile(path: string): Promise<{ readonly text: string } | { readonly fault: string }> {
  try {
    const file = await stat(path);
    // Reading a pipe may block.
    if (!file.isFile()) return { fault: `${path} is ${file.isDirectory() ? 'a folder' : 'not a regular file'}` };
    if (file.size > MAX_BYTES) return { fault: `${path} is larger than 1 MiB` };
    return { text: await readFile(path, 'utf8') };
  } catch (error) {
    return { fault: `${path} cannot be read: ${systemReasonOf(error)}` };
  }
}

function systemReasonOf(error: unknown): string {
  const [, reason] = Object.entries(REASONS).find(([code]) => hasCode(error, code)) ?? [];
  return reason ?? messageOf(error);
}

/** `faults` would prevent the start. */
interface StartCheck {
  readonly faults: readonly SettingsFault[];
  readonly warnings: readonly SettingsFault[];
}

/** Checks ports, folders and files: opens and closes ports, creates and removes a folder. `nowMs` decides which certificates are expired. */
export async function checkStart(needs: readonly StartNeed[], nowMs: number): Promise<StartCheck> {
  const faults: SettingsFault[] = [];
  const warnings: SettingsFault[] = [];
  // Not in parallel: two endpoints with the same port must not conflict.
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
      return (await faultOfFolder(need.directory)) ?? (await faultOfLock(resolve(need.directory)));
    case 'folder':
      return await faultOfFolder(need.directory);
    case 'files': {
      const logFiles = await findLogFiles([need.pattern], need.exclude);
      return logFiles.length > 0 ? undefined : 'matches no files now; files that appear later are followed';
    }
  }
  const read = await readSmallFile(need.file);
  if ('fault' in read) return read.fault;
  if (need.kind === 'certificates') return faultOfCertificates(need.file, read.text, nowMs);
  if (need.kind === 'tokens') return faultOfTokens(need.file, read.text);
  return await faultOfPrivateKey(need.file, read.text, need.certFile);
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

/** Why files cannot be created in a folder; undefined if they can. Leaves nothing behind. */
async function faultOfFolder(directory: string): Promise<string | undefined> {
  const folder = resolve(directory);
  for (let path = folder; ; path = dirname(path)) {
    try {
      if (!(await stat(path)).isDirectory()) return `${path} is not a folder`;
      await access(path, constants.W_OK | constants.X_OK);
      return await faultOfCreation(path, folder);
    } catch (error) {
      // A missing folder is created in the nearest one above it.
      if (hasCode(error, 'ENOENT') && path !== dirname(path)) continue;
      if (hasCode(error, 'ENOTDIR')) return `a part of the path ${path} is not a folder`;
      const message = path === folder ? `${path} is not writable` : `${folder} cannot be created in ${path}`;
      return `${message}: ${systemReasonOf(error)}`;
    }
  }
}

/** Some folders are writable by their mode, but nothing can be created in them, for example in `/proc`. */
async function faultOfCreation(path: string, folder: string): Promise<string | undefined> {
  try {
    await rmdir(await mkdtemp(join(path, '.faultline-validate-')));
    return undefined;
  } catch (error) {
    const reason = hasCode(error, 'ENOENT') ? 'folders cannot be created there (ENOENT)' : systemReasonOf(error);
    return path === folder
      ? `nothing can be created in ${path}: ${reason}`
      : `${folder} cannot be created in ${path}: ${reason}`;
  }
}

async function faultOfLock(directory: string): Promise<string | undefined> {
  try {
    const { isHeld, holder } = await readWriterLock(nodeFiles, directory);
    return isHeld ? `in use by ${describeHolder(holder)}; stop it first` : undefined;
  } catch (error) {
    return `${join(directory, 'LOCK')} cannot be read: ${systemReasonOf(error)}`;
  }
}

function faultOfCertificates(path: string, text: string, nowMs: number): string | undefined {
  if (!text.includes('-----BEGIN CERTIFICATE-----')) return `${path} does not contain a PEM certificate`;
  if (!succeeds(() => assertCertificates(text))) return `${path} contains a certificate that cannot be parsed`;
  for (const { validFrom, validTo, subject } of parseCertificates(text)) {
    const name = subject === undefined ? 'without a name' : JSON.stringify(subject.split('\n').join(', '));
    if (Date.parse(validTo) < nowMs) return `${path}: the certificate ${name} expired on ${validTo}`;
    if (Date.parse(validFrom) > nowMs) return `${path}: the certificate ${name} is not valid before ${validFrom}`;
  }
  return undefined;
}

/** A certificate that cannot be read is reported by its own setting. */
async function faultOfPrivateKey(path: string, key: string, certFile: string | undefined): Promise<string | undefined> {
  if (/-----BEGIN ENCRYPTED|^Proc-Type: 4,ENCRYPTED/m.test(key)) {
    return `${path} contains a key with a passphrase; remove the passphrase`;
  }
  if (!succeeds(() => assertPrivateKey(key))) return `${path} does not contain a PEM private key`;
  const certificate = certFile === undefined ? { text: '' } : await readSmallFile(certFile);
  if ('fault' in certificate || !succeeds(() => assertCertificates(certificate.text))) return undefined;
  if (succeeds(() => assertKeyOf(certificate.text, key))) return undefined;
  return `${path} contains a key that does not match the certificate in ${certFile}`;
}

/** The message never repeats a token. */
function faultOfTokens(path: string, text: string): string | undefined {
  try {
    return parseTokenLines(path, text).length > 0 ? undefined : `${path} contains no token; expected one per line`;
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

/** Faults of a start beside others. Ports and writer locks that this collector already uses are not checked. */
export async function faultsBesideRunning(
  settings: Settings,
  running: Settings,
  schema: SchemaNode,
  nowMs: number,
): Promise<readonly SettingsFault[]> {
  const inUse = startNeedsOf(running, schema);
  const needs = startNeedsOf(settings, schema).filter((need) => !inUse.some((other) => isCoveredBy(need, other)));
  const withoutLocks = needs.map((need) => (need.kind === 'data_folder' ? { ...need, kind: 'folder' as const } : need));
  return (await checkStart(withoutLocks, nowMs)).faults;
}

/** A port that the collector uses on another address will be free too. */
function isCoveredBy(need: StartNeed, other: StartNeed): boolean {
  if (need.kind === 'port') return other.kind === 'port' && need.endpoint.port === other.endpoint.port;
  return isDeepStrictEqual({ ...need, path: other.path }, other);
}
