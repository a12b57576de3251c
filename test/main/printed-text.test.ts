import stringWidth from 'string-width';
import { killLeftoverProcesses, runFaultline } from '../helpers/faultline-process.js';
import { kindOfFailure } from '../helpers/payloads.js';
import { removeTemporaryFolders, temporaryFolder } from '../helpers/temporary-folder.js';

afterAll(async () => {
  killLeftoverProcesses();
  await removeTemporaryFolders();
});

/** Characters of one or two cells, some of several code points. */
const CHARACTERS = ['x', '漢', 'e\u0301', '👍🏽', '🇫🇷', '각', '❤️'];

it('the columns of printed tables line up, and characters are not cut, also if they are wide or of several code points', async () => {
  const directory = await temporaryFolder();
  const input = CHARACTERS.map((character, kind) =>
    JSON.stringify(kindOfFailure(kind, { message: character.repeat(100), stack: null })),
  ).join('\n');
  expect(await runFaultline(['import', '-', '--data', directory], { input })).toMatchObject({ code: 0 });
  const table = ['issues', '--format', 'table', '--data', directory];
  for (const columns of [80, 81]) {
    const { stdout } = await runFaultline(table, { env: { COLUMNS: String(columns) } });
    const [, ...rows] = stdout
      .trimEnd()
      .split('\n')
      .map((row) => row.trimEnd());
    expect(rows).toHaveLength(CHARACTERS.length);
    expect(new Set(rows.map((row) => stringWidth(row))).size).toBe(1);
    for (const character of CHARACTERS) {
      expect(rows).toContainEqual(expect.stringMatching(new RegExp(`: (?:${character}){3,}…(?:${character}){3,} `)));
    }
  }
});
