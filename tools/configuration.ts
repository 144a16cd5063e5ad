import { writeFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { format, resolveConfig } from 'prettier';
import { TASK_QUEUES } from '../workflows/ids.ts';
import { COMMANDS } from '../programs/admin/commands.ts';
import { GROUPS, SETTING_GROUPS, type SettingGroup } from '../infra/config/groups/index.ts';
import { BACKGROUND_LOOPS, common } from '../infra/config/groups/process.ts';
import { groupsOf, type SettingReader } from '../infra/config/process-settings.ts';
import { settingsIn, type Setting } from '../infra/config/reading.ts';

/* Part of `npm run generate`: writes docs/configuration.md. */

const PAGE = resolve(import.meta.dirname, '../docs/configuration.md');

const INTRODUCTION = `# Configuration

<!-- Made from infra/config/groups/ by \`npm run generate\`. -->

Settings are environment variables. Each process reads and checks the settings that it uses when it starts. If a setting is wrong, the process names
the setting and does not start. Each section below says which processes use its settings. \`npm start\` and the demo use all settings.

- **Values from files.** If \`NAME\` is unset, the process reads the value from the file that \`NAME_FILE\` names. Use these files for secrets in
  containers.
- **Defaults.** \`{NAME}\` in a default stands for the value of the setting \`NAME\`.
- **Times** are in milliseconds if the setting's name ends in \`_MS\`, and in seconds if the name ends in \`_S\`.
- **Other variables.** Only settings say where and how a process connects. Variables that libraries would read by themselves, such as
  \`PGHOST\`, \`PGSSLMODE\`, \`MIKRO_ORM_SCHEMA\` and \`HTTPS_PROXY\`, change nothing (\`infra/process/environment.ts\`). Node's own variables and
  OpenTelemetry's variables apply.
- **Production** (\`RINGFENCE_ENV=production\`) refuses some values of settings (\`OPERATIONS.md\`, "What refuses to start").
- **A second stack** on one machine needs a different \`RINGFENCE_DATA\`, and different values for the five ports in the first table. Operator commands,
  \`npm run db:migrate\` and \`npm run demo -- --here\` use the running stack of the folder \`RINGFENCE_DATA\`, unless \`DATABASE_URL\` or \`RINGFENCE_PORT_POSTGRES\` is set.`;

export async function configurationPage(): Promise<string> {
  const groups = SETTING_GROUPS.map((name) =>
    section(GROUPS[name].description!, usersOf(name), settingsIn(GROUPS[name])),
  );
  const page = [INTRODUCTION, section(common.description!, undefined, settingsIn(common)), ...groups].join('\n\n');
  return format(page, { ...(await resolveConfig(PAGE)), filepath: PAGE });
}

function section(title: string, users: string | undefined, settings: readonly Setting[]): string {
  const rows = settings.map(
    (setting) => `| \`${setting.variable}\` | ${defaultOf(setting)} | ${setting.takes} | ${setting.description} |`,
  );
  const table = ['| Setting | Default | Takes | Meaning |', '| - | - | - | - |', ...rows].join('\n');
  return [`## ${title}`, ...(users === undefined ? [] : [`These settings are read by ${users}.`]), table].join('\n\n');
}

function defaultOf({ fallback, onlyWithDefaultOf }: Setting): string {
  if (fallback === undefined) return 'unset';
  const where = onlyWithDefaultOf === undefined ? '' : ` if \`${onlyWithDefaultOf}\` has its default, otherwise unset`;
  return `\`${fallback}\`${where}`;
}

function usersOf(group: SettingGroup): string {
  const uses = (reader: SettingReader) => groupsOf(reader, { queues: [], loops: [] }).has(group);
  const commands = Object.values(COMMANDS).some((command) => (command.uses ?? ['database']).includes(group));
  return new Intl.ListFormat('en-GB').format([
    ...(uses('api') ? ['the API'] : []),
    ...(uses('worker') ? ['every worker'] : workersOf(group)),
    ...(uses('migrate') ? ['`npm run db:migrate`'] : []),
    ...(uses('sandbox-bank') ? ['the sandbox bank'] : []),
    ...(commands ? ['operator commands'] : []),
  ]);
}

function workersOf(group: SettingGroup): string[] {
  const named = (names: readonly string[]) =>
    new Intl.ListFormat('en-GB', { type: 'disjunction' }).format(names.map((name) => `\`${name}\``));
  const queues = Object.values(TASK_QUEUES).filter((name) =>
    groupsOf('worker', { queues: [name], loops: [] }).has(group),
  );
  const loops = BACKGROUND_LOOPS.filter((name) => groupsOf('worker', { queues: [], loops: [name] }).has(group));
  return [
    ...(queues.length > 0 ? [`workers with the queue ${named(queues)}`] : []),
    ...(loops.length > 0 ? [`workers with the background task ${named(loops)}`] : []),
  ];
}

if (import.meta.main) writeFileSync(PAGE, await configurationPage());
