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

Settings are environment variables. A process checks the sections that it reads when it starts. If a setting is wrong, it names it and stops.
Each line gives the default, and in brackets what the setting takes.

- **Values from files.** If \`NAME\` is unset, the process reads the value from the file that \`NAME_FILE\` names. Use this for secrets.
- **Defaults.** \`{NAME}\` stands for the value of \`NAME\`.
- **Numbers** are whole, except interest rates. Times are in milliseconds (\`_MS\`) or seconds (\`_S\`). A day is a London day.
- **Certificates and keys** are paths of PEM files. Where the CA of a server is unset, the service trusts public CAs.
- **Other variables** of libraries, such as \`PGHOST\`, \`PGSSLMODE\` and \`HTTPS_PROXY\`, change nothing (\`infra/process/environment.ts\`). Those of
  Node and OpenTelemetry apply.
- **Production** requires some settings, and refuses some values ([What refuses to start](operate/daily.md#what-refuses-to-start)).
- **A second stack** on one machine needs another \`RINGFENCE_DATA\` and other values for the five ports of the first section.`;

export async function configurationPage(): Promise<string> {
  const listed = new Set<string>();
  const unlisted = ({ variable }: Setting) => !listed.has(variable) && listed.add(variable);
  const first = section(common.description!, 'Read by every process.', settingsIn(common).filter(unlisted));
  const groups = SETTING_GROUPS.map((name) =>
    section(GROUPS[name].description!, `Read by ${usersOf(name)}.`, settingsIn(GROUPS[name]).filter(unlisted)),
  );
  const page = [INTRODUCTION, first, ...groups].join('\n\n');
  return format(page, { ...(await resolveConfig(PAGE)), filepath: PAGE, proseWrap: 'always' });
}

function section(title: string, users: string, settings: readonly Setting[]): string {
  const lines = settings.map(
    (setting) => `- \`${setting.variable}\` = ${defaultOf(setting)}${valuesOf(setting)}: ${setting.description}`,
  );
  return [`## ${title}`, users, lines.join('\n')].join('\n\n');
}

function defaultOf({ fallback, onlyWithDefaultOf }: Setting): string {
  if (fallback === undefined) return 'unset';
  const where = onlyWithDefaultOf === undefined ? '' : ` if \`${onlyWithDefaultOf}\` has its default, otherwise unset`;
  return `\`${fallback}\`${where}`;
}

const valuesOf = ({ values }: Setting) => (values === undefined ? '' : ` (${values})`);

function usersOf(group: SettingGroup): string {
  const uses = (reader: SettingReader) => groupsOf(reader, { queues: [], loops: [] }).has(group);
  const commands = Object.values(COMMANDS).some((command) => (command.uses ?? ['database']).includes(group));
  return new Intl.ListFormat('en-GB').format([
    ...(uses('api') ? ['the API'] : []),
    ...(uses('worker') ? ['every worker'] : workersOf(group)),
    ...(uses('reader') ? ['readers in containers of their own'] : []),
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
