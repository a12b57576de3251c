import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import fc from 'fast-check';
import { updateBaseline, writeBaseline } from '../../../collector/gate/baseline.js';
import type { GateIssue, GateReport, GateRule } from '../../../collector/gate/gate-report.js';
import { parseReportTarget, writeReports } from '../../../collector/gate/write-reports.js';
import { HARMFUL_TEXT, HOSTILE_TEXTS, LINE_COMMAND } from '../../helpers/hostile-texts.js';
import { removeTemporaryFolders, temporaryFolder } from '../../helpers/temporary-folder.js';

afterAll(removeTemporaryFolders);

const FORMATS = ['github', 'junit', 'sarif', 'json', 'markdown'];

/** Any text with hostile parts, also cut ones. */
const hostile = fc
  .array(fc.oneof(fc.constantFrom(...HOSTILE_TEXTS), fc.string({ unit: 'binary', maxLength: 8 })), { maxLength: 5 })
  .map((parts) => parts.join(''));

const issue: fc.Arbitrary<GateIssue> = fc.record({
  ...{ issue_id: hostile, fingerprint: hostile, app: hostile, service: hostile, title: hostile },
  culprit: fc.option(hostile),
  level: fc.constant('error' as const),
  events: fc.nat(9),
  state: fc.constantFrom('new', 'regressed', 'known', null),
  is_failure: fc.boolean(),
  location: fc.option(fc.record({ file: hostile, line: fc.nat(99) })),
  suspect_commit: fc.option(
    fc.record({
      ...{ id: hostile, message: hostile, repository: hostile, path: hostile },
      author_name: fc.option(hostile),
      author_email: fc.option(hostile),
      timestamp: fc.option(hostile),
      line: fc.nat(99),
      source: fc.constant('blame' as const),
    }),
  ),
});

const rule: fc.Arbitrary<GateRule> = fc.record({
  name: hostile,
  status: fc.constantFrom('pass', 'fail', 'no_data', 'broken'),
  observed: fc.option(fc.nat(9)),
  threshold: fc.option(fc.nat(9)),
  reason: fc.option(hostile),
  issues: fc.array(hostile, { maxLength: 2 }),
});

const report: fc.Arbitrary<Omit<GateReport, 'outcome'>> = fc.record({
  gate: fc.constantFrom('run', 'release'),
  rules: fc.array(rule, { maxLength: 3 }),
  issues: fc.array(issue, { maxLength: 3 }),
});

class Sink {
  text = '';

  write(text: string): void {
    this.text += text;
  }
}

describe('reports and baselines with hostile texts', () => {
  it('have no byte that a terminal executes, and no line that is a command, a block or markup of its own', async () => {
    const folder = await temporaryFolder();
    await fc.assert(
      fc.asyncProperty(report, hostile, async (judged, missing) => {
        const stderr = new Sink();
        const outputs = new Map<string, string>();
        for (const format of FORMATS) {
          const output = new Sink();
          const targets = [{ format: parseReportTarget(format).format, file: undefined }];
          await writeReports(judged, targets, { env: {}, output, stderr });
          outputs.set(format, output.text);
        }
        const unwritable = {
          format: 'json',
          file: join(folder, 'missing', `a${missing.replaceAll('\0', '')}`),
        } as const;
        await writeReports(judged, [unwritable], { env: {}, output: stderr, stderr });
        await writeBaseline(join(folder, 'known'), updateBaseline(undefined, judged.issues));
        outputs.set('baseline', await readFile(join(folder, 'known'), 'utf8'));

        for (const [format, text] of [...outputs, ['stderr', stderr.text] as const]) {
          expect([format, HARMFUL_TEXT.exec(text)]).toEqual([format, null]);
          const commands = text.split('\n').filter((line) => LINE_COMMAND.test(line));
          if (format !== 'github') expect([format, commands]).toEqual([format, []]);
        }
        expect(stderr.text).toMatch(/^(?:faultline: .*\n)+$/);
        expect(outputs.get('github')).toMatch(/^(?:::(?:error|warning|notice) [^\n]*\n)*$/);
        expect(outputs.get('markdown')).toMatch(/^(?:(?:#{2,3} [A-Z]\w+.*|- .*|)\n)+$/);
        expect(outputs.get('junit')).toMatch(/^(?:<[^\n]*>?\n|at [^\n]*\n)+$/);
        for (const line of `${outputs.get('baseline')}`.trimEnd().split('\n')) JSON.parse(line);
        for (const format of ['json', 'sarif']) JSON.parse(outputs.get(format) ?? '');
      }),
    );
  });
});
