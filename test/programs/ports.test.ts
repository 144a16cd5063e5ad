import { createServer, type Server } from 'node:net';
import { readConfig } from '../../infra/config/index.ts';
import { assertPortsFree } from '../../programs/local/ports.ts';
import { freePorts } from '../helpers/ports.ts';

const FOLDER = '/tmp/a folder';
const OWN = { postgres: true, temporal: true, bank: true, certificates: true };
const NAMES = ['API', 'POSTGRES', 'TEMPORAL', 'TEMPORAL_UI', 'BANK'].map((name) => `RINGFENCE_PORT_${name}`);

describe('busy ports', () => {
  const servers: Server[] = [];
  afterEach(async () => {
    await Promise.all(servers.splice(0).map((server) => new Promise((done) => server.close(done))));
  });
  const listen = (port: string) =>
    new Promise<void>((done) => {
      servers.push(createServer().listen(Number(port), '127.0.0.1', done));
    });
  const refusal = (env: Record<string, string>, command?: string) => {
    const config = readConfig({ RINGFENCE_DATA: FOLDER, ...env });
    return assertPortsFree(config, OWN, command).then(
      () => '',
      (error: unknown) => (error as Error).message,
    );
  };

  test('are all named together, with a working line of settings for other ports', async () => {
    const free = (await freePorts(5)).map(String);
    const env = Object.fromEntries(NAMES.map((name, place) => [name, free[place]!]));
    expect(await refusal(env)).toBe('');
    await listen(free[0]!);
    await listen(free[3]!);
    const lines = (await refusal(env)).split('\n');
    expect(lines.slice(0, 2)).toEqual([
      `In use by other programs, perhaps by the stack of a different checkout, or closed to this user: port ${free[0]} (the API), ${free[3]} (Temporal's Web UI).`,
      'Stop those programs, or move this stack to free ports:',
    ]);
    expect(lines[2]).toMatch(/^ {2}RINGFENCE_DATA='\/tmp\/a folder' RINGFENCE_PORT_API=.* npm start$/);
    const words = [...lines[2]!.matchAll(/(RINGFENCE_PORT_\w+)=(\d+)/g)];
    const moved = Object.fromEntries(words.map(([, name, port]) => [name!, port!]));
    expect(moved).toEqual({
      ...env,
      RINGFENCE_PORT_API: expect.any(String) as string,
      RINGFENCE_PORT_TEMPORAL_UI: expect.any(String) as string,
    });
    expect(await refusal(moved)).toBe('');
  });

  test('get different new ports, and the demo starts with its own line of settings', async () => {
    const [api, ...others] = await freePorts(4);
    await listen(String(api));
    const placed = NAMES.slice(1, 4).map((name, place) => [name, String(others[place])] as const);
    const env = {
      ...Object.fromEntries(placed),
      RINGFENCE_PORT_API: String(api),
      RINGFENCE_PORT_BANK: String(api! + 100),
    };
    const message = await refusal(env, 'npm run demo');
    expect(message).toMatch(/ npm run demo$/);
    expect(message).not.toContain(`RINGFENCE_PORT_API=${api! + 100}`);
  });
});
