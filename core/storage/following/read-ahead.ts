import type { IndexContent } from '../index/index-content.js';
import { isIndexUnusable } from '../index/index-fault.js';
import type { IndexSource } from '../index/index-source.js';
import type { FollowPosition } from './record-follower.js';
import { type FollowedRow, rowsAfter } from './rows-after.js';

/** Rows, and the content that they are of: their issues have other numbers in another one. */
export interface RowsAhead {
  readonly rows: readonly FollowedRow[];
  readonly content: IndexContent;
}

/** As `rowsAfter`, of what the index holds now, and once more where it could be mended meanwhile. `from` says where to begin, and is asked for each look. Rejects with `INDEX_UNUSABLE`. */
export async function readAhead(
  index: Pick<IndexSource, 'content' | 'recover'>,
  from: (content: IndexContent) => FollowPosition,
  bounds: { readonly maxEvents: number; readonly maxBytes: number },
): Promise<RowsAhead> {
  for (;;) {
    const { content } = index;
    try {
      return { rows: await rowsAfter(content, from(content), bounds), content };
    } catch (error) {
      if (!isIndexUnusable(error) || !(await index.recover(error, content))) throw error;
    }
  }
}
