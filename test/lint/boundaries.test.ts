import { lintPlanted } from '../helpers/planted.ts';

const lint = lintPlanted();

async function complaints(filePath: string, code: string): Promise<string[]> {
  const messages = await lint(filePath, code);
  expect(messages.filter(({ fatal }) => fatal)).toEqual([]);
  return messages
    .filter(({ ruleId }) => /no-restricted-(?:imports|syntax)$/.test(ruleId ?? ''))
    .map(({ message }) => message);
}

/** By folder: what a file of it may not import. */
const FORBIDDEN: Readonly<Record<string, readonly string[]>> = {
  domain: [
    ...['../api/app.ts', '../activities/ledger.ts', '../workflows/ids.ts', '../infra/telemetry/log.ts'],
    ...['../tools/bootstrap.js', 'node:fs', '@temporalio/workflow', '@mikro-orm/core', 'pg', 'express', 'uuid'],
  ],
  workflows: [
    ...['../api/app.ts', '../infra/telemetry/log.ts', '../openapi/types.ts', '../client/src/index.ts'],
    ...['node:crypto', '@mikro-orm/core', 'pg', 'express', 'uuid'],
  ],
  activities: ['../api/app.ts', '../programs/local/processes.ts', 'express', '@temporalio/activity'],
  'activities/payments': ['../../workflows/ids.ts'],
  api: [
    ...['../infra/db/statements/ledger.ts', '../programs/admin/run.ts', '../workflows/ids.ts'],
    ...['@mikro-orm/core', 'pg'],
  ],
  'api/http': ['../../infra/db/entities/auth.ts', 'express-openapi-validator/dist/openapi.validator.js'],
  infra: ['../programs/local/processes.ts'],
  'infra/bank': ['../../activities/ledger.ts', '../../programs/sandbox-bank/server.ts'],
  'infra/charts': ['../../api/app.ts'],
  'infra/config': ['../../test/helpers/until.ts'],
  'infra/db': ['../../workflows/ids.ts', '../../programs/local/postgres.ts'],
  'infra/keys': ['../../api/app.ts'],
  'infra/oidc': ['../../activities/ledger.ts'],
  'infra/telemetry': ['../../activities/readiness.ts'],
  'infra/temporal': ['../../tools/contract/diff.ts', '@temporalio/interceptors-opentelemetry/lib/worker/index.js'],
  programs: ['../test/helpers/until.ts'],
  'programs/admin': ['../../tools/check.js'],
  'programs/sandbox-bank': ['../../activities/ledger.ts'],
  'examples/node': ['../../domain/money.ts'],
  'examples/web/src': ['../../../infra/telemetry/log.ts'],
};

test.each(Object.entries(FORBIDDEN))('%s may not import: %j', async (folder, modules) => {
  const code = modules.map((module) => `import '${module}';`).join('\n');
  expect(await complaints(`${folder}/planted.ts`, code)).toHaveLength(modules.length);
});

test.each([
  ['domain', "import type { paths } from '../openapi/types.ts'; export type P = paths;"],
  ['workflows', "import { movedBy } from '../activities/ledger.ts'; export const p = movedBy;"],
  ['infra', "import type { App } from '../api/app.ts'; export type A = App;"],
  ['infra/mail', "import type M from 'nodemailer/lib/mailer/mail-message.js'; export type X = M;"],
  ['infra/charts', "export const load = () => import('echarts/dist/echarts.esm.min.mjs');"],
  ['test', "export * from '@temporalio/common/lib/proto-utils.js';"],
  ['domain', "export { x } from 'decimal.js/lib/x.js';"],
])('%s may not contain: %s', async (folder, code) => {
  expect(await complaints(`${folder}/planted.ts`, code)).toHaveLength(1);
});

test.each([
  [
    'domain',
    "import { Decimal } from 'decimal.js'; import { pence } from './money.ts'; export const x = [Decimal, pence];",
  ],
  [
    'workflows',
    "import type { Lot } from '../activities/ledger.ts'; import '../domain/payments.ts'; export type L = Lot;",
  ],
  ['activities', "import '../domain/money.ts'; import '../infra/db/statements/ledger.ts';"],
  ['api', "import '../activities/ledger.ts'; import '../domain/errors.ts';"],
  ['infra/bank', "import '../../domain/bank/payments.ts';"],
  ['infra', "import '../domain/lib/x.ts'; import './dist/y.ts'; import '@scope/library'; import 'lib/x.js';"],
])('%s may contain: %s', async (folder, code) => {
  expect(await complaints(`${folder}/planted.ts`, code)).toEqual([]);
});
