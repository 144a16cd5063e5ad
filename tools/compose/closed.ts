import { holds } from '../../test/helpers/holds.ts';
import type { Tried } from './prepare.ts';

/** Prints for each `host:port` whether it accepts a connection. */
const REACHES = `
  const { connect } = require('node:net');
  const reached = (where) => new Promise((resolve) => {
    const at = where.lastIndexOf(':');
    const socket = connect({ host: where.slice(0, at), port: Number(where.slice(at + 1)), timeout: 3000 });
    const say = (yes) => { socket.destroy(); resolve([where, yes]); };
    socket.on('connect', () => say(true)).on('error', () => say(false)).on('timeout', () => say(false));
  });
  Promise.all(process.argv.slice(1).map(reached)).then((all) => console.log(JSON.stringify(Object.fromEntries(all))));
`;

export async function allHealthy({ deployment }: Tried): Promise<void> {
  for (const { Config, State } of await deployment.containers()) {
    const service = Config.Labels['com.docker.compose.service'];
    const state = State.Health?.Status ?? State.Status;
    const well = service === 'migrate' ? State.Status === 'exited' && State.ExitCode === 0 : isWell(State);
    holds(`${service} is ${service === 'migrate' ? `${State.Status} with ${State.ExitCode}` : state}`, well);
  }
}

function isWell({ Status, Health }: { Status: string; Health?: { Status: string } }): boolean {
  return Status === 'running' && (Health === undefined || Health.Status === 'healthy');
}

/** Only nginx and the Web UI may have published ports, and containers may reach only their own network. */
export async function isClosed({ deployment, image }: Tried): Promise<void> {
  const containers = await deployment.containers();
  const published = containers.flatMap(({ Config, NetworkSettings }) =>
    Object.values(NetworkSettings.Ports).flatMap((bound) =>
      (bound ?? []).map(({ HostIp }) => `${Config.Labels['com.docker.compose.service']} at ${HostIp}`),
    ),
  );
  const expected = ['front at 127.0.0.1', 'temporal-ui at 127.0.0.1'];
  holds(`published is nothing but ${expected.join(', ')}`, published.sort().join() === expected.join());
  const networkOf = (name: string) => `${deployment.project}_${name}`;
  const addressOf = async (service: string, network: string) =>
    (await deployment.containers(service))[0]!.NetworkSettings.Networks[networkOf(network)]!.IPAddress;
  const database = [`${await addressOf('postgres', 'database')}:5432`, 'postgres:5432'];
  const temporal = [`${await addressOf('temporal', 'temporal')}:7233`, 'temporal:7233'];
  const bank = `${await addressOf('bank', 'outside')}:8451`;
  const options = ['--rm', '--entrypoint', 'node'];
  const reachedFrom = async (network: string) => {
    const where = ['--network', networkOf(network), image, '-e', REACHES, ...database, ...temporal, bank];
    return JSON.parse(await deployment.ask('run', ...options, ...where)) as Record<string, boolean>;
  };
  const reaches = (told: Record<string, boolean>, places: readonly string[]) => places.map((place) => told[place]);
  const [fromDatabase, fromTemporal, fromOutside] = [
    await reachedFrom('database'),
    await reachedFrom('temporal'),
    await reachedFrom('outside'),
  ];
  holds('who is on its network reaches the database', reaches(fromDatabase, database).every(Boolean));
  holds('and not Temporal', !reaches(fromDatabase, temporal).some(Boolean));
  holds('who is on its network reaches Temporal', reaches(fromTemporal, temporal).every(Boolean));
  holds('and not the database', !reaches(fromTemporal, database).some(Boolean));
  holds('who is on either gets out to nobody', !fromDatabase[bank] && !fromTemporal[bank]);
  holds('who is outside reaches the bank', fromOutside[bank] === true);
  holds('who is outside reaches neither', !reaches(fromOutside, [...database, ...temporal]).some(Boolean));
}
