import { computeFingerprint } from '../../core/fingerprint/compute-fingerprint.js';
import { BASELINES } from '../grouping/baselines.js';
import { payloadOf, readCaptures } from '../grouping/captures.js';
import { HALVES, type Half } from '../grouping/program.js';
import { type Scores, scoresOf } from '../grouping/scores.js';
import { type Bar, type Row, row } from '../row.js';

/** A failure with its label and its group by each way of grouping. */
interface Grouped {
  readonly language: string;
  readonly label: string;
  readonly ours: string;
  readonly byFrame: string;
  readonly byMessage: string;
}

/** The scores of a row, and the bar of all languages together. */
const METRICS: readonly { readonly name: string; readonly of: keyof Scores; readonly bar: Bar | null }[] = [
  { name: 'pair precision', of: 'precision', bar: { of: 'figure', value: 0.97 } },
  { name: 'recall', of: 'recall', bar: { of: 'figure', value: 0.88 } },
  { name: 'F1', of: 'f1', bar: null },
];

/** How well failures of small programs are grouped, by language, for each half of the corpus. */
export function groupingRows(): Row[] {
  return HALVES.flatMap((half) => {
    const failures = groupedFailures(half);
    const languages = [...new Set(failures.map(({ language }) => language))];
    const ofLanguage = (name: string): Grouped[] => failures.filter(({ language }) => language === name);
    return [
      ...rowsOf(half, 'all languages', failures, true),
      ...languages.flatMap((name) => rowsOf(half, name, ofLanguage(name), false)),
    ];
  });
}

function groupedFailures(half: Half): Grouped[] {
  return readCaptures(half).map((captured) => {
    const { label, language } = captured;
    const payload = payloadOf(captured);
    return {
      language,
      label,
      // Programs of two languages share names and messages, but are never one service.
      ours: `${language}:${computeFingerprint(payload).value}`,
      byFrame: `${language}:${BASELINES['type + message + top frame'](payload, language)}`,
      byMessage: `${language}:${BASELINES['whole message'](payload)}`,
    };
  });
}

function rowsOf(half: Half, of: string, failures: readonly Grouped[], hasBar: boolean): Row[] {
  const scored = (by: 'ours' | 'byFrame' | 'byMessage'): Scores =>
    scoresOf(failures.map((failure) => ({ label: failure.label, fingerprint: failure[by] })));
  const [ours, byFrame, byMessage] = [scored('ours'), scored('byFrame'), scored('byMessage')];
  return METRICS.map(({ name, of: metric, bar }) =>
    row(
      `grouping, ${of}, ${half}: ${name}`,
      ours[metric],
      `by type, message and frame (by message: ${byMessage[metric].toPrecision(3)})`,
      byFrame[metric],
      'higher',
      hasBar ? bar : null,
    ),
  );
}
