import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join, resolve } from 'node:path';
import { GROUPS } from '../../infra/config/groups/index.ts';
import { common } from '../../infra/config/groups/process.ts';
import { settingsIn } from '../../infra/config/reading.ts';
import { isOfLibrary } from '../../infra/process/environment.ts';
import { sentenceOf } from '../../infra/process/foreseen.ts';
import { withDatabase } from '../helpers/database.ts';
import { OF_LIBRARIES, OF_SYSTEM } from '../helpers/environments.ts';
import { testEnvironment } from '../helpers/environment.ts';
import { freePort } from '../helpers/ports.ts';
import { runAs } from '../helpers/run-as.ts';

const ROOT = resolve(import.meta.dirname, '../..');
const CLEAN = resolve(ROOT, 'infra/process/environment.ts');

describe('the environment of a program', () => {
  test('loses every variable that a library would read by itself', () => {
    expect(Object.keys(OF_LIBRARIES).filter((name) => !isOfLibrary(name))).toEqual([]);
  });

  test('keeps every setting, and what Node and the system read', () => {
    const settings = [common, ...Object.values(GROUPS)].flatMap((group) => settingsIn(group));
    const names = settings.flatMap(({ variable }) => [variable, `${variable}_FILE`]);
    const others = ['PATH', 'NODE_OPTIONS', 'NODE_ENV', 'OTEL_TRACES_SAMPLER', 'TEMPORAL_CLI', 'npm_lifecycle_event'];
    expect([...names, ...others, ...Object.keys(OF_SYSTEM)].filter(isOfLibrary)).toEqual([]);
  });

  test('is cleaned before any library is loaded, in each program', () => {
    const { scripts } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as {
      scripts: Record<string, string>;
    };
    const image = readFileSync(join(ROOT, 'infra/deploy/entrypoint.sh'), 'utf8');
    const used = ['start', 'demo', 'example', 'admin', 'db:migrate'].map((name) => scripts[name]).join('\n');
    const programs = new Set(`${used}\n${image}`.match(/programs\/[\w/-]+\.ts/g));
    expect(programs.size).toBe(9);
    for (const program of programs)
      expect(readFileSync(join(ROOT, program), 'utf8')).toMatch(
        /^import '(?:\.\.\/)+infra\/process\/environment\.ts';\n/,
      );
  });

  test('has no proxy for its own fetch, even if Node itself has read the proxy', async () => {
    const server = createServer((_request, response) => response.end('reached')).listen(0, '127.0.0.1');
    await new Promise((done) => server.once('listening', done));
    const { port } = server.address() as AddressInfo;
    const ask = `console.log(await (await fetch('http://127.0.0.1:${port}')).text())`;
    const evaluate = (code: string) => runAs(['--input-type=module', '--eval', code], OF_LIBRARIES).ended;
    try {
      expect((await evaluate(ask)).code).not.toBe(0);
      expect(await evaluate(`await import('${CLEAN}'); ${ask}`)).toMatchObject({ code: 0, stdout: 'reached\n' });
    } finally {
      server.close();
    }
  });
});

describe('a program that runs alone', () => {
  const services = withDatabase();

  test.each(['worker', 'api'])('says in one sentence that its database refuses the %s', async (program) => {
    const url = new URL(services.config.database.url);
    url.password = 'wrong';
    const [port, RINGFENCE_DATA] = [String(await freePort()), testEnvironment().dir];
    const env = { DATABASE_URL: url.href, RINGFENCE_DATA, RINGFENCE_PORT_API: port, LOG_LEVEL: 'silent' };
    expect(await runAs([`programs/${program}.ts`], env).ended).toEqual({
      code: 78,
      stdout: '',
      stderr: `The database ${url.pathname.slice(1)} at ${url.host} cannot be used: it rejects the password; correct DATABASE_URL.\n`,
    });
  });
});

describe('an error', () => {
  test.each(['EACCES', 'ENOSPC', 'ENOENT', 'EROFS'])('about a file is one sentence: %s', (code) => {
    const error = Object.assign(new Error('x'), { code, path: '/a/file', syscall: 'open' });
    expect(sentenceOf(error)).toMatch(/^\/a\/file cannot be used: [^.]+ \([A-Z]+\)\.$/);
  });

  test('that nobody foresaw is no sentence, so that its trace is printed', () => {
    const ofCode = Object.assign(new Error('x'), { code: 'ERR_OTHER' });
    expect([new TypeError('x'), ofCode, 'text', undefined].map(sentenceOf)).toEqual(Array(4).fill(undefined));
  });
});
