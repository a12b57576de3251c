import type { ExpositionFormat } from './exposition.js';

const MAX_ACCEPT_LENGTH = 2_000;

/**
 * The form that a scraper asks for by its header `Accept` (RFC 9110, 12.5.1): OpenMetrics where it is named and not liked less than plain text.
 * Default: Prometheus text, which everybody reads.
 */
export function expositionFormatFor(accept: string | undefined): ExpositionFormat {
  if (accept === undefined || accept.length > MAX_ACCEPT_LENGTH) return 'prometheus';
  const ranges = accept.toLowerCase().split(',').map(parseRange);
  const weightOf = (type: string) => ranges.find((range) => range.type === type)?.weight;
  const open = weightOf('application/openmetrics-text') ?? 0;
  const plain = weightOf('text/plain') ?? 0;
  return open > 0 && open >= plain ? 'openmetrics' : 'prometheus';
}

function parseRange(text: string): { readonly type: string; readonly weight: number } {
  const [type = '', ...parameters] = text.split(';').map((part) => part.trim());
  const weight = Number(parameters.find((parameter) => parameter.startsWith('q='))?.slice(2) ?? 1);
  return { type, weight: Number.isNaN(weight) ? 0 : weight };
}
