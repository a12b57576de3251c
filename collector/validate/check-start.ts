import { createServer } from 'node:net';
import type { FoundFault } from '../../config/place-faults.js';
import { Fault } from '../../core/event/fault.js';
import { listen } from '../http/listen.js';
import { FileFinder } from '../receivers/file-log/file-finder.js';
import { faultOfDataFolder, faultOfFolder } from './look-at-folder.js';
import { faultOfCertificates, faultOfPrivateKey, faultOfTokens } from './look-at-secrets.js';
import type { StartNeed } from './start-needs.js';

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
