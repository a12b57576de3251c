import { parseSize } from '../../../config/values/size.js';
import { describeValue } from '../describe-value.js';

describeValue('parseSize', {
  parse: parseSize,
  parsed: [
    ['0', 0],
    ['1048576', 1_048_576],
    ['512B', 512],
    ['500KB', 500_000],
    ['500kB', 500_000],
    ['64MiB', 67_108_864],
    ['10GiB', 10_737_418_240],
    ['1.5 GiB', 1_610_612_736],
    ['0.3KiB', 307],
    ['2TB', 2e12],
  ],
  rejected: [
    ['64mb', '64MiB'],
    ['64M', '64MiB'],
    ['1gib', '1GiB'],
    ['', undefined],
    ['-1', undefined],
    ['MiB', undefined],
    ['1e6', undefined],
    ['0x10', undefined],
    ['64  MiB', undefined],
    ['10 bananas', undefined],
    ['9999999TiB', undefined],
    ['1'.repeat(100), undefined],
  ],
  pieces: ['1', '0', '.', 'K', 'M', 'i', 'B', 'T', '-', ' ', '9'],
  isValid: (bytes) => Number.isSafeInteger(bytes),
});
