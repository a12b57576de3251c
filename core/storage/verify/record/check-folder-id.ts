import { FOLDER_ID_FILE, isSameId, openFolderIdCopies } from '../../record/partitions/folder-id.js';
import type { VerifyContext } from '../verify-context.js';

/** Checks both copies of the id of the folder. */
export async function checkFolderId({ files, directory, partitions, report }: VerifyContext): Promise<void> {
  const copies = await openFolderIdCopies({ files, directory });
  const valid = copies.find(({ id }) => id !== undefined);
  if (valid === undefined) {
    const isUsed = partitions.length > 0 || copies.some(({ isPresent }) => isPresent);
    const paths = copies.map(({ path }) => path).join(' and ');
    const what = `${paths} are missing or damaged, and no event has the id that it was given.`;
    if (isUsed) report({ code: 'FOLDER_ID_LOST', file: FOLDER_ID_FILE, what });
    return;
  }
  for (const { path, isPresent, id } of copies) {
    if (isSameId(id, valid.id)) continue;
    if (id !== undefined)
      report({ code: 'FOLDER_ID_DIFFERS', file: path, what: `It holds another id than ${valid.path}.` });
    else if (isPresent)
      report({ code: 'FOLDER_ID_INVALID', file: path, what: 'It does not hold the id of the folder.' });
    else report({ code: 'FOLDER_ID_MISSING', file: path, what: `It is missing, and ${valid.path} is there.` });
  }
}
