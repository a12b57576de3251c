import { join } from 'node:path';
import { Fault } from '../../event/fault.js';
import type { StoreFiles } from '../files/store-files.js';
import { hasCode } from '../files/system-error.js';
import { unlinkIfThere } from '../files/unlink-if-there.js';
import { type LockHolder, readLockHolder } from './lock-holder.js';

const LOCK_FILE = 'LOCK';
const HELD = '.held';
/** What file systems without hard links answer. */
const NO_LINKS = ['EPERM', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS'];

/** The files of a folder that say who writes, as one who wants to sees them. */
export class LockFiles {
  /** The one that counts. */
  readonly lock: string;
  readonly #files: StoreFiles;
  readonly #directory: string;
  readonly #holder: LockHolder;
  /** Our content under a name of its own, until it has the one that counts. */
  readonly #own: string;
  /** The same for as long as we hold the lock: whoever removes `LOCK` by hand leaves it there. */
  readonly #held: string;

  constructor(files: StoreFiles, directory: string, holder: LockHolder) {
    this.#files = files;
    this.#directory = directory;
    this.#holder = holder;
    this.lock = join(directory, LOCK_FILE);
    this.#own = join(directory, `${LOCK_FILE}.${holder.token}`);
    this.#held = `${this.#own}${HELD}`;
  }

  /** Who may replace this holder's lock. */
  claimOf(holder: LockHolder): string {
    return join(this.#directory, `${LOCK_FILE}.${holder.token}.claim`);
  }

  /** Runs `work` while our content lies whole on the disk, ready to be given a name. */
  async withOwn(work: () => Promise<void>): Promise<void> {
    try {
      await this.#create(this.#own);
      await work();
    } finally {
      await unlinkIfThere(this.#files, this.#own);
    }
  }

  /** Gives our content a name that nobody has; false when somebody has it. */
  async giveName(path: string): Promise<boolean> {
    const link = (): Promise<void> => this.#files.link(this.#own, path);
    try {
      // Without hard links the name comes before the content: who reads in between finds a lock that cannot be read.
      await link().catch((error: unknown) => {
        if (!hasCode(error, ...NO_LINKS)) throw error;
        return this.#create(path);
      });
      return true;
    } catch (error) {
      if (hasCode(error, 'EEXIST')) return false;
      throw error;
    }
  }

  /** Undefined when there is no such lock. */
  async holderOf(path: string): Promise<LockHolder | undefined> {
    const content = await this.#files.readFile(path);
    if (content === undefined) return undefined;
    const holder = readLockHolder(content.toString('utf8'));
    if (holder !== undefined) return holder;
    throw new Fault('STORE_LOCKED', `${path} cannot be read. Remove it if no collector writes into the folder.`);
  }

  /** True while the lock that counts is ours. */
  async isOurs(): Promise<boolean> {
    const content = await this.#files.readFile(this.lock);
    return readLockHolder(content?.toString('utf8') ?? '')?.token === this.#holder.token;
  }

  /** Says a second time that we hold the lock; while `withOwn` works. */
  async hold(): Promise<void> {
    await this.giveName(this.#held);
  }

  /** Takes back what `hold` said; before `LOCK` itself, or the next one would take us for a holder whose `LOCK` was removed. */
  async letGo(): Promise<void> {
    await unlinkIfThere(this.#files, this.#held);
  }

  /**
   * Removes what is left of those who are gone, attempts that died half-way included. Answers another one who still holds the folder, although
   * `LOCK` is ours: somebody removed his.
   */
  async removeLeftovers(isGone: (holder: LockHolder) => boolean): Promise<LockHolder | undefined> {
    let stillHolds: LockHolder | undefined;
    for (const { name, kind } of await this.#files.list(this.#directory)) {
      if (kind !== 'file' || !name.startsWith(`${LOCK_FILE}.`)) continue;
      const path = join(this.#directory, name);
      const holder = readLockHolder((await this.#files.readFile(path))?.toString('utf8') ?? '');
      if (holder === undefined || path === this.#held) continue;
      if (isGone(holder)) await unlinkIfThere(this.#files, path);
      else if (name.endsWith(HELD)) stillHolds = holder;
    }
    return stillHolds;
  }

  async #create(path: string): Promise<void> {
    const file = await this.#files.open(path, 'create');
    let isWhole = false;
    try {
      await file.write([Buffer.from(`${JSON.stringify(this.#holder)}\n`, 'utf8')], 0);
      await file.sync();
      isWhole = true;
    } finally {
      await file.close();
      // A name without its content would keep everybody out until a person removes it.
      if (!isWhole) await unlinkIfThere(this.#files, path).catch(() => undefined);
    }
  }
}
