/** Hours that are looked at beside the running one: as many as a trend has. */
const PAST_HOURS = 23;
/** Hours since its first event that an issue must have before it can spike: fewer do not tell how its counts vary. */
const MIN_PAST_HOURS = 6;
/** Fewer events in an hour are no spike, whatever was before. */
export const MIN_SPIKE_EVENTS = 10;
/** Of each of the two hours that are tested: together 1 in 10,000. */
const LOG_FALSE_ALARM = Math.log(0.00005);
/** Hours of which the variance is taken to be this many times the mean, beside those that were seen: 22 hours alone tell it badly. */
const PRIOR_HOURS = 6;
const PRIOR_DISPERSION = 5;
/** The variance that was seen may be too small by chance, and real counts have longer tails than the bound knows. */
const DISPERSION_MARGIN = 1.5;

/**
 * Whether the last hour of an issue brought more events than its own past explains. `trend` are its events per hour of 24 hours, oldest first, the last one running;
 * `ageHours` are the hours since its first event.
 *
 * Null model: events come in clumps, clumps are a Poisson process of constant rate, and a clump has as many events as the variance of the past hours is greater than
 * their mean. Given all clumps of n + 1 hours, those of the last one are then binomial with 1/(n + 1), and Chernoff's bound on its tail is held to 1 in 10,000
 * for the running hour and the one before it together. Both are tested, each against the hours before it, so that a spike is still seen when the hour turns.
 * An issue without a past of 6 hours does not spike.
 */
export function isSpiking(trend: readonly number[], ageHours: number): boolean {
  const running = trend.length - 1;
  return isSpike(trend, running, ageHours) || isSpike(trend, running - 1, ageHours - 1);
}

function isSpike(trend: readonly number[], hour: number, ageHours: number): boolean {
  const events = trend[hour] ?? 0;
  // Nearly all issues end here.
  if (events < MIN_SPIKE_EVENTS) return false;
  const hours = Math.min(ageHours, hour, PAST_HOURS);
  if (hours < MIN_PAST_HOURS) return false;
  let sum = 0;
  let squares = 0;
  for (let place = hour - hours; place < hour; place += 1) {
    const count = trend[place] ?? 0;
    sum += count;
    squares += count * count;
  }
  if (events * hours <= sum) return false;
  const clump = clumpSize(hours, sum, squares);
  return logTail(events / clump, sum / clump, hours) < LOG_FALSE_ALARM;
}

/** How much greater the variance of the counts is than their mean, on the safe side. */
function clumpSize(hours: number, sum: number, squares: number): number {
  const mean = sum / hours;
  const seen = mean === 0 ? 0 : Math.max(0, squares - sum * mean) / mean;
  return Math.max(1, (DISPERSION_MARGIN * (seen + PRIOR_HOURS * PRIOR_DISPERSION)) / (hours - 1 + PRIOR_HOURS));
}

/** Chernoff's bound on the logarithm of the chance of so many or more of all in the last of `hours` + 1 hours. */
function logTail(last: number, past: number, hours: number): number {
  const total = last + past;
  const divergence = last * Math.log((last / total) * (hours + 1));
  return -(past === 0 ? divergence : divergence + past * Math.log(((past / total) * (hours + 1)) / hours));
}
