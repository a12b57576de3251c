/** Words that the project avoids: old names (docs/glossary.md has the current ones), and phrases that are not plain English. */
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';

const FOLDERS = ['collector', 'core', 'config', 'tui', 'docs', 'test'];
/** Payloads, logs and stacks of other programs. */
const INPUT = /^test\/fixtures\/(?!tui|settings)/;
const PROSE = /\.(tsx?|mts|c?js|json|yaml|md|txt)$/;
// The brackets keep this list itself from matching.
const AVOIDED = [
  ...['who[e]ver', 'is n[o] ', 'are n[o]ne', 'comes to n[o]thing', 'of this pl[a]ce', 'collector of g[a]rbage'],
  ...['\\ban[e]w\\b', 'for ev[e]r\\b', 'there is n[o] .{1,60} here', '\\bsomeb[o]dy\\b', 'told ap[a]rt'],
  ...['\\bH[t]tpDoor', '\\bDo[o]rOptions', '\\bServedDo[o]rs', '\\bChangingDo[o]rs', '\\bd[o]ors?\\b'],
  ...[
    '\\bRequestSw[i]tch\\b',
    '\\bHotH[a]ndler\\b',
    '\\bEndpointGu[a]rd\\b',
    '\\bConnectionGu[a]rd\\b',
    '\\blookForSl[o]wBodies\\b',
  ],
  ...[
    '\\bTlsFr[o]nt\\b',
    '\\bBluepr[i]nt\\b',
    '\\bPass[a]ge\\b',
    '\\bStoreSl[o]t\\b',
    '\\bSurround[i]ngs\\b',
    '\\bhand[O]n\\b',
  ],
  ...[
    '\\bWaitingApp[e]nd\\b',
    '\\bgiveB[a]ck\\b',
    '\\btakeB[a]ck\\b',
    '\\bCardT[e]xts\\b',
    '\\bPackedC[o]mmit\\b',
    '\\bPackedL[i]nes\\b',
  ],
  ...[
    '\\bFailureR[o]w\\b',
    '\\bEventSi[e]ve\\b',
    '\\bEventPort[i]on\\b',
    '\\bLineR[u]ns\\b',
    '\\bIssueLi[v]es\\b',
    '\\bIssueSt[a]ndings\\b',
  ],
  ...[
    '\\bArrivalB[e]ll\\b',
    '\\bLagg[a]rd\\b',
    '\\bRetentionH[o]ld\\b',
    '\\bRejectedSh[e]lf\\b',
    '\\bOccurrenceM[e]mory\\b',
  ],
  ...['\\bRecordIdM[e]mory\\b', '\\bRecentOutc[o]mes\\b', '\\b[uU]nk[e]pt'],
].map((word) => new RegExp(word, word.startsWith('\\b') ? '' : 'i'));

async function texts(): Promise<string[]> {
  const all = await Promise.all(
    FOLDERS.map(async (folder) =>
      (await readdir(folder, { recursive: true })).map((name) => join(folder, name).replaceAll('\\', '/')),
    ),
  );
  return [...all.flat(), 'main.ts', 'README.md', 'SECURITY.md'].filter((path) => PROSE.test(path) && !INPUT.test(path));
}

it('no file contains a word that the project avoids', async () => {
  const found: string[] = [];
  for (const path of await texts()) {
    const lines = (await readFile(path, 'utf8')).split('\n');
    for (const [index, line] of lines.entries())
      for (const word of AVOIDED)
        if (word.test(line)) found.push(`${path}:${index + 1}: ${word.source}: ${line.trim().slice(0, 120)}`);
  }
  expect(found).toEqual([]);
});
