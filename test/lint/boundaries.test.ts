import { lintPlanted } from '../helpers/planted.ts';

const lint = lintPlanted();

async function complaints(filePath: string, code: string): Promise<string[]> {
  const messages = await lint(filePath, code);
  expect(messages.filter(({ fatal }) => fatal)).toEqual([]);
  return messages
    .filter(({ ruleId }) => /no-restricted-(?:imports|syntax)$/.test(ruleId ?? ''))
    .map(({ message }) => message);
}

const planted: readonly (readonly [file: string, code: string])[] = [
  ['domain/planted.ts', "import '../api/app.ts';"],
  ['domain/planted.ts', "import '../activities/ledger.ts';"],
  ['domain/planted.ts', "import '../workflows/ids.ts';"],
  ['domain/planted.ts', "import '../infra/telemetry/log.ts';"],
  ['domain/planted.ts', "import type { paths } from '../openapi/types.ts'; export type P = paths;"],
  ['domain/planted.ts', "import 'node:fs';"],
  ['domain/planted.ts', "import '@temporalio/workflow';"],
  ['domain/planted.ts', "import '@mikro-orm/core';"],
  ['domain/planted.ts', "import 'pg';"],
  ['domain/planted.ts', "import 'express';"],
  ['domain/planted.ts', "import 'uuid';"],
  ['workflows/planted.ts', "import '../api/app.ts';"],
  ['workflows/planted.ts', "import '../infra/telemetry/log.ts';"],
  ['workflows/planted.ts', "import '../openapi/types.ts';"],
  ['workflows/planted.ts', "import { movedBy } from '../activities/ledger.ts'; export const p = movedBy;"],
  ['workflows/planted.ts', "import 'node:crypto';"],
  ['workflows/planted.ts', "import '@mikro-orm/core';"],
  ['workflows/planted.ts', "import 'pg';"],
  ['workflows/planted.ts', "import 'express';"],
  ['workflows/planted.ts', "import 'uuid';"],
  ['activities/planted.ts', "import '../api/app.ts';"],
  ['activities/payments/planted.ts', "import '../../workflows/ids.ts';"],
  ['activities/planted.ts', "import 'express';"],
  ['activities/planted.ts', "import '@temporalio/activity';"],
  ['api/planted.ts', "import '../infra/db/statements/ledger.ts';"],
  ['api/http/planted.ts', "import '../../infra/db/entities/auth.ts';"],
  ['api/planted.ts', "import '@mikro-orm/core';"],
  ['api/planted.ts', "import 'pg';"],
  ['infra/bank/planted.ts', "import '../../activities/ledger.ts';"],
  ['infra/keys/planted.ts', "import '../../api/app.ts';"],
  ['infra/db/planted.ts', "import '../../workflows/ids.ts';"],
  ['infra/oidc/planted.ts', "import '../../activities/ledger.ts';"],
  ['infra/charts/planted.ts', "import '../../api/app.ts';"],
  ['programs/sandbox-bank/planted.ts', "import '../../activities/ledger.ts';"],
  ['infra/planted.ts', "import '../programs/local/processes.ts';"],
  ['infra/planted.ts', "import type { App } from '../api/app.ts'; export type A = App;"],
  ['infra/telemetry/planted.ts', "import '../../activities/readiness.ts';"],
  ['infra/db/planted.ts', "import '../../programs/local/postgres.ts';"],
  ['infra/temporal/planted.ts', "import '../../tools/contract/diff.ts';"],
  ['infra/bank/planted.ts', "import '../../programs/sandbox-bank/server.ts';"],
  ['infra/config/planted.ts', "import '../../test/helpers/until.ts';"],
  ['activities/planted.ts', "import '../programs/local/processes.ts';"],
  ['api/planted.ts', "import '../programs/admin/run.ts';"],
  ['api/planted.ts', "import '../workflows/ids.ts';"],
  ['domain/planted.ts', "import '../tools/bootstrap.js';"],
  ['workflows/planted.ts', "import '../client/src/index.ts';"],
  ['programs/admin/planted.ts', "import '../../tools/check.js';"],
  ['programs/planted.ts', "import '../test/helpers/until.ts';"],
  ['api/http/planted.ts', "import 'express-openapi-validator/dist/openapi.validator.js';"],
  ['infra/mail/planted.ts', "import type M from 'nodemailer/lib/mailer/mail-message.js'; export type X = M;"],
  ['infra/temporal/planted.ts', "import '@temporalio/interceptors-opentelemetry/lib/worker/index.js';"],
  ['infra/charts/planted.ts', "export const load = () => import('echarts/dist/echarts.esm.min.mjs');"],
  ['test/planted.ts', "export * from '@temporalio/common/lib/proto-utils.js';"],
  ['domain/planted.ts', "export { x } from 'decimal.js/lib/x.js';"],
  ['examples/node/planted.ts', "import '../../domain/money.ts';"],
  ['examples/web/src/planted.ts', "import '../../../infra/telemetry/log.ts';"],
];

test.each(planted)('%s may not contain: %s', async (file, code) => {
  expect(await complaints(file, code)).toHaveLength(1);
});

const allowed: readonly (readonly [file: string, code: string])[] = [
  [
    'domain/planted.ts',
    "import { Decimal } from 'decimal.js'; import { pence } from './money.ts'; export const x = [Decimal, pence];",
  ],
  [
    'workflows/planted.ts',
    "import type { Lot } from '../activities/ledger.ts'; import '../domain/payments.ts'; export type L = Lot;",
  ],
  ['activities/planted.ts', "import '../domain/money.ts'; import '../infra/db/statements/ledger.ts';"],
  ['api/planted.ts', "import '../activities/ledger.ts'; import '../domain/errors.ts';"],
  ['infra/bank/planted.ts', "import '../../domain/bank.ts';"],
  [
    'infra/planted.ts',
    "import '../domain/lib/x.ts'; import './dist/y.ts'; import '@scope/library'; import 'lib/x.js';",
  ],
];

test.each(allowed)('%s may contain: %s', async (file, code) => {
  expect(await complaints(file, code)).toEqual([]);
});
