import { readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { parse, parseAllDocuments } from 'yaml';

const ROOT = resolve(import.meta.dirname, '../..');
const FOLDER = join(ROOT, 'infra/deploy/kubernetes');
const RELEASE = 'ringfence/release';
// `FINISH_WITHIN_MS` of programs/api.ts plus a margin.
const ENDS_WITHIN_S = 10 + 5;

type Labels = Record<string, string>;
interface Pod {
  terminationGracePeriodSeconds?: number;
  containers: { lifecycle?: { preStop?: { exec: { command: string[] } } } }[];
}
interface Manifest {
  kind: string;
  metadata: { name: string };
  data?: Labels;
  spec: {
    replicas?: number;
    selector?: Labels;
    scaleTargetRef?: { name: string };
    template?: { metadata: { labels: Labels }; spec: Pod };
  };
}
interface Kustomization {
  labels?: { pairs: Labels; includeSelectors?: boolean }[];
}

const manifests = ['base', 'workers'].flatMap((folder) =>
  readdirSync(join(FOLDER, folder))
    .filter((file) => file !== 'kustomization.yaml')
    .flatMap((file) => parseAllDocuments(readFileSync(join(FOLDER, folder, file), 'utf8')))
    .map((document) => document.toJS() as Manifest),
);
const of = (kind: string) => manifests.filter((manifest) => manifest.kind === kind);
const deployments = of('Deployment');

describe('on Kubernetes', () => {
  test('a release leaves the number of pods to the autoscaler, or sets it without one', () => {
    const scaled = of('HorizontalPodAutoscaler').map(({ spec }) => spec.scaleTargetRef!.name);
    expect(scaled).toContain('ringfence-api');
    for (const { metadata, spec } of deployments)
      expect([metadata.name, spec.replicas]).toEqual([metadata.name, scaled.includes(metadata.name) ? undefined : 2]);
  });

  test('a stopping pod serves until its service stops routing to it, and then has time to end', () => {
    const [service] = of('Service');
    const selected = Object.entries(service!.spec.selector!);
    const called = deployments.filter(({ spec }) =>
      selected.every(([label, value]) => spec.template!.metadata.labels[label] === value),
    );
    expect(called.map(({ metadata }) => metadata.name)).toEqual(['ringfence-api']);
    const { containers, terminationGracePeriodSeconds } = called[0]!.spec.template!.spec;
    const [command, seconds] = containers[0]!.lifecycle!.preStop!.exec.command;
    expect([command, Number(seconds)]).toEqual(['sleep', expect.any(Number)]);
    expect(Number(seconds)).toBeGreaterThanOrEqual(10);
    expect(Number(seconds) + ENDS_WITHIN_S).toBeLessThan(terminationGracePeriodSeconds!);
  });

  test('selectors of released and unreleased workers do not overlap', () => {
    const words = ['workers', 'overlays/release'].map((folder) => {
      const text = readFileSync(join(FOLDER, folder, 'kustomization.yaml'), 'utf8');
      const told = (parse(text) as Kustomization).labels ?? [];
      return told.find(({ pairs, includeSelectors }) => RELEASE in pairs && includeSelectors === true)?.pairs[RELEASE];
    });
    expect(words).toEqual(['none', '0-1-0']);
  });

  test('every file in the settings is in a secret from docs/operate/kubernetes.md', () => {
    const text = readFileSync(join(ROOT, 'docs/operate/kubernetes.md'), 'utf8');
    const made = [...text.matchAll(/--from-file=([\w.-]+)/g)].map(([, file]) => file!);
    const settings = of('ConfigMap').flatMap(({ data }) => Object.values(data ?? {}));
    const named = settings.filter((value) => value.startsWith('/secrets/'));
    const files = new Set([...made, 'tls.crt', 'tls.key'].map((file) => `/secrets/${file}`));
    expect(named.length).toBeGreaterThan(10);
    expect(named.filter((file) => !files.has(file))).toEqual([]);
  });
});
