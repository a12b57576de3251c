// Checks a data folder independently of the product: `node test/system/audit/audit.js DIRECTORY [QUERY_URL METRICS_URL]`. Exits with 1 on problems.
import { auditFolder } from './audit-folder.js';

const [directory, queryUrl, metricsUrl] = process.argv.slice(2);
const { problems, counts } = await auditFolder({
  directory,
  ...(queryUrl && { apiUrl: `${queryUrl}/api/v1`, metricsUrl: `${metricsUrl}/metrics` }),
});
const names = new Set([...Object.keys(counts), ...problems.map(({ check }) => check)]);
for (const name of names) {
  const wrong = problems.filter(({ check }) => check === name);
  process.stdout.write(
    `${wrong.length === 0 ? 'ok  ' : 'FAIL'} ${name}: ${counts[name] ?? `${wrong.length} problems`}\n`,
  );
  for (const { where, what } of wrong) process.stdout.write(`     ${where}: ${what}\n`);
}
process.exitCode = problems.length === 0 ? 0 : 1;
