import { readFileSync, readdirSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { parse } from 'yaml';

const DEPLOY = resolve(import.meta.dirname, '../../infra/deploy');

interface Alert {
  alert: string;
  expr: string;
  for?: string;
  labels: { severity: string };
  annotations: { summary: string; runbook_url: string };
}

export function alertRules(): Alert[] {
  const text = readFileSync(join(DEPLOY, 'prometheus', 'alerts.yaml'), 'utf8');
  return (parse(text) as { groups: { rules: Alert[] }[] }).groups.flatMap(({ rules }) => rules);
}

interface Panel {
  dashboard: string;
  title: string;
  expressions: string[];
}

export function dashboardPanels(): Panel[] {
  const files = readdirSync(join(DEPLOY, 'grafana')).filter((file) => file.endsWith('.json'));
  return files.flatMap((file) => {
    const { panels } = JSON.parse(readFileSync(join(DEPLOY, 'grafana', file), 'utf8')) as {
      panels: { title: string; targets: { expr: string }[] }[];
    };
    return panels.map(({ title, targets }) => ({
      dashboard: file,
      title,
      expressions: targets.map(({ expr }) => expr),
    }));
  });
}

export function metricsIn(expression: string): string[] {
  const named = expression.match(/\b(?:ringfence|temporal|nodejs|process)_\w+/g) ?? [];
  return [...new Set(named)];
}

/** Returns the metric names in Prometheus' text format. Histograms occur with and without their suffixes. */
export function exposedIn(text: string): Set<string> {
  const names = new Set<string>();
  for (const [, name, type] of text.matchAll(/^# TYPE (\w+) (\w+)$/gm)) {
    names.add(name!);
    if (type === 'histogram') for (const end of ['bucket', 'sum', 'count']) names.add(`${name}_${end}`);
  }
  return names;
}

/** Sums the series with these labels; 0 if there are none. */
export function valueOf(text: string, name: string, labels: Readonly<Record<string, string>> = {}): number {
  const lines = text.split('\n').filter((line) => line.startsWith(`${name}{`) || line.startsWith(`${name} `));
  const wanted = Object.entries(labels).map(([label, value]) => `${label}="${value}"`);
  const matching = lines.filter((line) => wanted.every((label) => line.includes(label)));
  return matching.reduce((sum, line) => sum + Number(line.slice(line.lastIndexOf(' ') + 1)), 0);
}
