import { spawnSync } from 'node:child_process';
import { resolve } from 'node:path';
import { parseArgs } from 'node:util';

const SEVERITIES = ['low', 'moderate', 'high', 'critical'] as const;
const GRAVE: ReadonlySet<string> = new Set(['high', 'critical']);

interface Report {
  vulnerabilities?: Record<string, { severity: string; via: (string | { title?: string; url?: string })[] }>;
  metadata?: { vulnerabilities: Record<string, number> };
  message?: string;
  error?: { summary?: string };
}

/**
 * `npm run audit`: asks the registry for known weaknesses of the production dependencies. Exit code 1 where one is high or critical;
 * where the registry does not answer such questions nothing is known, which is said, and is a failure with `--required` alone.
 */
function main(): void {
  const { values, positionals } = parseArgs({ options: { required: { type: 'boolean' } }, allowPositionals: true });
  const args = ['audit', '--omit=dev', '--json', '--loglevel=error', '--fetch-retries=0', '--fetch-timeout=20000'];
  const cwd = resolve(positionals[0] ?? '.');
  const { stdout } = spawnSync('npm', args, { cwd, encoding: 'utf8', shell: process.platform === 'win32' });
  const report = parsed(stdout);
  const counts = report.metadata?.vulnerabilities;
  if (counts === undefined) {
    const why = (report.message ?? report.error?.summary ?? 'npm audit gave no report').replace(/ - .*$/s, '');
    process.stderr.write(
      `audit: NOT DONE. The registry does not tell of weaknesses (${why}), so nothing is known of any.\n`,
    );
    process.exitCode = values.required ? 1 : 0;
    return;
  }
  const grave = Object.entries(report.vulnerabilities ?? {}).filter(([, { severity }]) => GRAVE.has(severity));
  for (const [name, { severity, via }] of grave) {
    const reasons = via.map((one) =>
      typeof one === 'string' ? `by way of ${one}` : `${one.title ?? ''} ${one.url ?? ''}`,
    );
    process.stderr.write(`REFUSED: ${name}: ${severity}: ${reasons.join('; ')}\n`);
  }
  const known = SEVERITIES.map((severity) => `${counts[severity] ?? 0} ${severity}`).join(', ');
  process.stdout.write(`audit: known weaknesses of production dependencies: ${known}\n`);
  process.exitCode = grave.length === 0 ? 0 : 1;
}

function parsed(text: string): Report {
  try {
    return JSON.parse(text) as Report;
  } catch {
    return {};
  }
}

main();
