import { parseDuration } from '../../../config/values/duration.js';
import { describeValue } from '../describe-value.js';

describeValue('parseDuration', {
  parse: parseDuration,
  parsed: [
    ['0', 0],
    ['300ms', 300],
    ['1.5h', 5_400_000],
    ['2h45m', 9_900_000],
    ['1h0m0.25s', 3_600_250],
    ['.5s', 500],
    ['720h', 2_592_000_000],
    ['500us', 0.5],
    ['500µs', 0.5],
  ],
  rejected: [
    ['5', '5s'],
    ['1d', '24h'],
    ['2w', '336h'],
    ['', undefined],
    ['-5s', undefined],
    ['s', undefined],
    ['5 s', undefined],
    ['5x', undefined],
    ['1..5s', undefined],
    ['1h 5m', undefined],
    ['9999999h', undefined],
    ['1'.repeat(100), undefined],
  ],
  pieces: ['1', '0', '.', 'h', 'm', 's', 'ms', 'µs', 'd', '-', ' ', '9'],
  isValid: (milliseconds) => Number.isFinite(milliseconds) && milliseconds >= 0,
});
