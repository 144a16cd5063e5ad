import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, copyFileSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { isOpen } from '../../programs/local/ports.ts';
import { freePorts } from './ports.ts';
import { hasNginx, missingPrograms, NGINX } from './required-programs.ts';
import { until } from './until.ts';

const CONFIGURATION = resolve(import.meta.dirname, '../../infra/deploy/nginx');

interface Behind {
  /** The API's plain listener for proxies, which must trust 127.0.0.1. */
  apiPort: number;
  /** Files, as in the API's settings. */
  tls: { cert: string; key: string };
  vaultClientCa: string;
}

export interface Front {
  port: number;
  /** The access log, which nginx writes after each answer. */
  log(): string;
  stop(): Promise<void>;
}

/** Debian's nginx with infra/deploy/nginx/: only paths and ports are replaced. It listens on all addresses. */
export async function startFront({ apiPort, tls, vaultClientCa }: Behind): Promise<Front> {
  if (!hasNginx()) throw new Error(missingPrograms());
  const dir = mkdtempSync(join(tmpdir(), 'ringfence-front-'));
  // The workers of nginx run as another user.
  chmodSync(dir, 0o711);
  const [port, healthPort] = await freePorts(2);
  const replaced: readonly [string, string][] = [
    // The first, because the other paths can be in /tmp.
    ['/tmp/', `${dir}/`],
    ['ringfence-proxied:8081', `127.0.0.1:${apiPort}`],
    ['listen 8443', `listen ${port}`],
    ['listen [::]:8443', `listen [::]:${port}`],
    ['listen 8082', `listen 127.0.0.1:${healthPort}`],
    ['/run/secrets/tls.crt', tls.cert],
    ['/run/secrets/tls.key', tls.key],
    ['/run/secrets/vault-client-ca.crt', vaultClientCa],
    ['/dev/stdout', join(dir, 'access.log')],
  ];
  let text = readFileSync(join(CONFIGURATION, 'nginx.conf'), 'utf8');
  for (const [from, to] of replaced) {
    if (!text.includes(from)) throw new Error(`nginx.conf does not contain ${from}`);
    text = text.replaceAll(from, to);
  }
  writeFileSync(join(dir, 'nginx.conf'), text);
  copyFileSync(join(CONFIGURATION, 'front.js'), join(dir, 'front.js'));
  const child = spawn(NGINX, ['-p', dir, '-c', join(dir, 'nginx.conf'), '-e', 'stderr'], {
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  let said = '';
  child.stderr.on('data', (chunk: Buffer) => (said += chunk.toString()));
  const ended = once(child, 'close');
  await until(async () => child.exitCode !== null || (await isOpen('127.0.0.1', port!)), 'nginx');
  if (child.exitCode !== null) throw new Error(`nginx ended with ${child.exitCode}: ${said}`);
  return {
    port: port!,
    log: () => readFileSync(join(dir, 'access.log'), 'utf8'),
    async stop() {
      child.kill('SIGTERM');
      await ended;
      rmSync(dir, { recursive: true, force: true });
    },
  };
}
