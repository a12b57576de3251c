/** Hours compared with the tested one; a trend has 24. */
const PAST_HOURS = 23;
/** Hours since its first event before an issue can spike: fewer do not show how its counts vary. */
const MIN_PAST_HOURS = 6;
/** An hour with fewer events is never a spike. */
export const MIN_SPIKE_EVENTS = 10;
/** False alarms for each of the two tested hours; together 1 in 10,000. */
const LOG_FALSE_ALARM = Math.log(0.00005);
/** Prior: hours with a variance of `PRIOR_DISPERSION` times the mean, because 22 hours alone estimate it badly. */
const PRIOR_HOURS = 6;
const PRIOR_DISPERSION = 5;
/** The observed variance may be too small by chance, and real counts have longer tails than the bound assumes. */
const DISPERSION_MARGIN = 1.5;

/**
 * Whether the latest hours of an issue have more events than its past explains. `trend`: events per hour of 24 hours, oldest first, the last hour still running;
 * `ageHours`: hours since the first event, at least 6 for a spike.
 *
 * Null model: events come in clumps, clumps are a Poisson process of constant rate, and the size of a clump is the variance of the past hours over their mean.
 * Given all clumps of n + 1 hours, those of the last hour are binomial with 1/(n + 1); Chernoff's bound on the tail is held to 1 in 10,000 for the running hour
 * and the previous one together. Both are tested, so that a spike is still seen when the hour turns.
 */
export function isSpiking(trend: readonly number[], ageHours: number): boolean {
  const running = trend.length - 1;
  return isSpike(trend, running, ageHours) || isSpike(trend, running - 1, ageHours - 1);
}

/** Whether one hour of a trend has more events than the hours before it explain. */
export function isSpike(trend: readonly number[], hour: number, ageHours: number): boolean {
  const events = trend[hour] ?? 0;
  if (events < MIN_SPIKE_EVENTS) return false;
  const hours = Math.min(ageHours, hour, PAST_HOURS);
  if (hours < MIN_PAST_HOURS) return false;
  let sum = 0;
  let squares = 0;
  for (let past = hour - hours; past < hour; past += 1) {
    const count = trend[past] ?? 0;
    sum += count;
    squares += count * count;
  }
  if (events * hours <= sum) return false;
  const clump = clumpSize(hours, sum, squares);
  return logTail(events / clump, sum / clump, hours) < LOG_FALSE_ALARM;
}

/** Ratio of the variance of the counts to their mean, with a margin. */
function clumpSize(hours: number, sum: number, squares: number): number {
  const mean = sum / hours;
  const observed = mean === 0 ? 0 : Math.max(0, squares - sum * mean) / mean;
  return Math.max(1, (DISPERSION_MARGIN * (observed + PRIOR_HOURS * PRIOR_DISPERSION)) / (hours - 1 + PRIOR_HOURS));
}

/** Chernoff's bound on the logarithm of the probability that at least `last` of all clumps fall into the last of `hours` + 1 hours. */
function logTail(last: number, past: number, hours: number): number {
  const total = last + past;
  const divergence = last * Math.log((last / total) * (hours + 1));
  return -(past === 0 ? divergence : divergence + past * Math.log(((past / total) * (hours + 1)) / hours));
}
