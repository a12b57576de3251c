import { checkMemoryLimits, memoryLimitsOf } from '../../../collector/processors/memory-limits.js';
import { checkSettings } from '../../../collector/service/check-settings.js';
import { ConfigError, formatProblem } from '../../../config/config-error.js';
import { loadDefaultConfig } from '../../../config/default-config.js';
import { loadConfig } from '../../../config/load-config.js';
import type { MemoryLimiterProcessorSettings } from '../../../generated/settings.js';

const MIB = 1024 * 1024;

function settings(changes: Partial<MemoryLimiterProcessorSettings>): MemoryLimiterProcessorSettings {
  return {
    check_interval: '1s',
    limit_mib: 0,
    spike_limit_mib: 0,
    limit_percentage: 75,
    spike_limit_percentage: 0,
    ...changes,
  };
}

describe('the limits of memory_limiter', () => {
  it.each([
    ['a limit in MiB, a fifth of it as spike', { limit_mib: 400 }, 400, 320],
    ['a limit and a spike in MiB', { limit_mib: 400, spike_limit_mib: 100 }, 400, 300],
    ['a share of what there is', { limit_percentage: 50 }, 500, 400],
    ['a share and a spike in percent', { limit_percentage: 50, spike_limit_percentage: 25 }, 500, 250],
    ['both, of which MiB has priority', { limit_mib: 200, limit_percentage: 90 }, 200, 160],
  ])('are %s', (_, changes, hardMib, softMib) => {
    const { hardBytes, softBytes } = memoryLimitsOf(settings(changes), 1_000 * MIB);
    expect([hardBytes / MIB, softBytes / MIB]).toEqual([hardMib, softMib]);
  });

  it.each([
    ['limit_mib', { limit_mib: 95 }],
    ['limit_percentage', { limit_percentage: 9 }],
    ['spike_limit_mib', { limit_mib: 400, spike_limit_mib: 400 }],
    ['spike_limit_mib', { limit_mib: 400, spike_limit_mib: 330 }],
    ['spike_limit_percentage', { limit_percentage: 50, spike_limit_percentage: 60 }],
    ['spike_limit_percentage', { limit_mib: 400, spike_limit_percentage: 10 }],
    ['spike_limit_mib', { spike_limit_mib: 10 }],
  ])('are refused by %s', (key, changes) => {
    expect(checkMemoryLimits(settings(changes), 1_000 * MIB)).toMatchObject([{ path: [key] }]);
  });

  it('are accepted if an idle collector fits', () => {
    for (const changes of [{ limit_mib: 96 }, { limit_mib: 120, spike_limit_mib: 44 }, {}]) {
      expect(checkMemoryLimits(settings(changes), 1_000 * MIB)).toEqual([]);
    }
  });

  it('are reported with their line in the file', () => {
    const text = 'processors:\n  memory_limiter/small:\n    limit_mib: 64\n';
    const problems = () => {
      try {
        loadConfig({ files: [loadDefaultConfig(), { name: 'a.yaml', text }], sets: [], env: {}, check: checkSettings });
      } catch (error) {
        if (error instanceof ConfigError) return error.problems.map(formatProblem);
      }
      return [];
    };
    expect(problems()).toEqual([
      expect.stringMatching(
        /^a\.yaml:3:16.*processors\.memory_limiter\/small\.limit_mib.*expected a limit of at least 96 MiB, found 64 MiB/,
      ),
    ]);
  });
});
