import { resolve } from 'node:path';
import type { Config } from '../config.ts';
import { common } from '../config/groups/process.ts';
import { settingsIn } from '../config/reading.ts';
import type { StartLine, WantedPort } from './ports.ts';
import type { OwnParts } from './own-parts.ts';

const DEFAULTS = new Map(settingsIn(common).map(({ variable, fallback }) => [variable, fallback]));

export function wantedPorts({ api, stack }: Config, own: OwnParts): WantedPort[] {
  const wanted = (is: boolean, port: number, part: string, name: string) => {
    const setting = `RINGFENCE_PORT_${name}`;
    return is ? [{ port, part, setting, isGiven: String(port) !== DEFAULTS.get(setting) }] : [];
  };
  return [
    ...wanted(true, api.port, 'the API', 'API'),
    ...wanted(own.postgres, stack.postgresPort, 'PostgreSQL', 'POSTGRES'),
    ...wanted(own.temporal, stack.temporalPort, 'Temporal', 'TEMPORAL'),
    ...wanted(own.temporal, stack.temporalUiPort, "Temporal's Web UI", 'TEMPORAL_UI'),
    ...wanted(own.bank, stack.bankPort, 'the sandbox bank', 'BANK'),
  ];
}

export function startLine({ dataDir }: Config, command = 'npm start'): StartLine {
  const isDefault = dataDir === resolve(DEFAULTS.get('RINGFENCE_DATA')!);
  return { settings: isDefault ? [] : [`RINGFENCE_DATA=${inShell(dataDir)}`], command };
}

const inShell = (text: string) =>
  /^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", String.raw`'\''`)}'`;
