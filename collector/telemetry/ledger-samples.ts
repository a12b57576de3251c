import type { ReceiverLedger } from '../../core/reader.js';
import type { OtherSamples } from './exposition.js';
import type { Ledger } from './ledger.js';
import type { Labels, Sample } from './meters.js';

/** The outcomes of the ledger, as the label of that name has them. */
const OUTCOMES = ['received', 'stored', 'rejected', 'filtered', 'sampled', 'refused'] as const;

/**
 * The ledger of promise 5 as metrics: the Collector's three counts of a receiver, and the account itself. A receiver has all of them from the start, because an
 * alert on growth needs the zero before it.
 */
export function ledgerSamples(ledger: Ledger): OtherSamples {
  const each = (samplesOf: (labels: Labels, account: ReceiverLedger) => readonly Sample[]) => (): readonly Sample[] =>
    Object.entries(ledger.snapshot()).flatMap(([receiver, account]) => samplesOf({ receiver }, account));
  const by = (name: string, counts: (account: ReceiverLedger) => Readonly<Record<string, number>>) =>
    each((labels, account) =>
      Object.entries(counts(account)).map(([key, value]) => ({ labels: { ...labels, [name]: key }, value })),
    );
  return {
    faultline_receiver_accepted_log_records: each((labels, { stored, filtered, sampled }) => [
      { labels, value: stored + filtered + sampled },
    ]),
    faultline_receiver_refused_log_records: each((labels, { refused }) => [{ labels, value: refused }]),
    faultline_receiver_failed_log_records: each((labels, { rejected }) => [{ labels, value: rejected }]),
    faultline_receiver_events: each((labels, account) =>
      OUTCOMES.map((outcome) => ({ labels: { ...labels, outcome }, value: account[outcome] })),
    ),
    faultline_receiver_reasons: by('reason', ({ reasons }) => reasons),
    faultline_receiver_cuts: by('limit', ({ cuts }) => cuts),
    faultline_receiver_lost_by_clients: by('reason', (account) => account.lost_by_clients),
  };
}
