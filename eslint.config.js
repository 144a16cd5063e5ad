import tseslint from 'typescript-eslint';
import comments from './tools/eslint-comments.js';

const forbid = (...patterns) => ({
  'no-restricted-imports': ['error', { patterns: patterns.map(([group, message]) => ({ group, message })) }],
});
const ABOVE_ADAPTERS = [
  ['**/api/**', '**/activities/**', '**/workflows/**'],
  'An adapter knows domain/ and nothing above.',
];
const ABOVE_DOMAIN = ['**/api/**', '**/activities/**', '**/workflows/**', '**/infra/**', '**/openapi/**'];

/** Folders of infra/ that production code must not import. */
const BESIDE_PRODUCTION = [
  ['admin', 'demo', 'local', 'sandbox-bank', 'tooling'].map((room) => `**/${room}/**`),
  'What runs in production imports nothing of the operators’ commands, the demo, the local stack, the sandbox bank or the tooling.',
];

/** Import rules between folders; `test/lint/boundaries.test.ts` plants a violation of each rule. */
/** Inside a transaction, a query through `db` would use a second connection and commit alone. */
const transactionOnly = ['callee.object.name', 'callee.object.property.name'].map((path) => ({
  selector: `CallExpression[callee.property.name=/^(transaction|groupTransaction)$/] > :function CallExpression[${path}='db']`,
  message: 'Use the transaction instead of the database.',
}));

const boundaries = [
  {
    files: ['domain/**/*.ts'],
    rules: forbid(
      [ABOVE_DOMAIN, 'domain/ holds pure rules: it imports itself and decimal.js.'],
      [
        ['node:*', '@temporalio/*', '@mikro-orm/*', 'pg', 'express', 'uuid'],
        'domain/ does no I/O and has no clock or chance.',
      ],
    ),
  },
  {
    files: ['workflows/**/*.ts'],
    rules: {
      'no-restricted-imports': 'off',
      '@typescript-eslint/no-restricted-imports': [
        'error',
        {
          patterns: [
            {
              group: ['**/api/**', '**/infra/**', '**/openapi/**'],
              message: 'A workflow knows domain/, ids and activity types.',
            },
            {
              group: ['**/activities/**'],
              allowTypeImports: true,
              message: 'A workflow takes types only of activities/.',
            },
            {
              group: ['node:*', '@mikro-orm/*', 'pg', 'express', 'uuid'],
              message: 'A workflow must be deterministic.',
            },
          ],
        },
      ],
    },
  },
  {
    files: ['activities/**/*.ts'],
    rules: forbid(
      [['**/api/**', '**/workflows/**'], 'activities/ knows nothing of HTTP or workflows.'],
      [['express', '@temporalio/*'], 'activities/ are plain functions: no Express, no Temporal.'],
      BESIDE_PRODUCTION,
    ),
  },
  {
    files: ['api/**/*.ts'],
    rules: forbid(
      [
        ['**/infra/db/**', '!**/infra/db/transaction.ts', '@mikro-orm/*', 'pg'],
        'api/ never touches an entity or SQL; call an activity.',
      ],
      BESIDE_PRODUCTION,
    ),
  },
  {
    files: ['bank', 'charts', 'credential', 'db', 'keys', 'documents', 'oidc', 'pdf'].map(
      (adapter) => `infra/${adapter}/**/*.ts`,
    ),
    rules: forbid(ABOVE_ADAPTERS, BESIDE_PRODUCTION),
  },
  { files: ['programs/sandbox-bank/**/*.ts'], rules: forbid(ABOVE_ADAPTERS) },
  {
    files: ['examples/**/*.ts'],
    rules: forbid([
      [...ABOVE_DOMAIN, '**/domain/**'],
      'An example uses the service from outside: it knows client/ alone.',
    ]),
  },
  {
    files: [
      'infra/*.ts',
      ...['background', 'config', 'limits', 'mail', 'passwords', 'process', 'telemetry', 'temporal', 'threads'].map(
        (room) => `infra/${room}/**/*.ts`,
      ),
    ],
    rules: forbid(BESIDE_PRODUCTION),
  },
];

/** Matches private folders of packages, which may change in any release. */
const PRIVATE_FOLDER = '/^(?:@[^/]+\\/)?[^./@][^/]*\\/(?:.*\\/)?(?:dist|lib)\\//';
const publicOnly = ['ImportDeclaration', 'ImportExpression', 'ExportNamedDeclaration', 'ExportAllDeclaration'].map(
  (statement) => ({
    selector: `${statement}[source.value=${PRIVATE_FOLDER}]`,
    message: "What is in a package's dist/ or lib/ is private to it: import what it is documented to export.",
  }),
);

const PLAIN_ENGLISH = ['activities', 'api', 'client', 'domain', 'examples', 'infra', 'test', 'tools', 'workflows'];
const plainEnglish = {
  files: PLAIN_ENGLISH.map((folder) => `${folder}/**/*.ts`),
  // These files are generated from the contract, with its texts.
  ignores: ['client/src/codes.ts', 'client/src/methods.ts'],
  plugins: { comments },
  rules: { 'comments/short-sentences': ['error', 25] },
};

export default tseslint.config(
  {
    ignores: [
      'node_modules/',
      '.data/',
      '.cache/',
      'openapi/types.ts',
      'openapi/bundle.json',
      'client/src/contract.ts',
      'client/src/operations.ts',
      'client/dist/',
      'examples/web/dist/',
    ],
  },
  {
    files: ['**/*.ts'],
    extends: [tseslint.configs.strictTypeChecked],
    languageOptions: { parserOptions: { projectService: true, tsconfigRootDir: import.meta.dirname } },
    rules: {
      '@typescript-eslint/restrict-template-expressions': ['error', { allowNumber: true, allowBoolean: true }],
      '@typescript-eslint/no-confusing-void-expression': ['error', { ignoreArrowShorthand: true }],
      '@typescript-eslint/no-non-null-assertion': 'off',
      '@typescript-eslint/consistent-type-imports': ['error', { disallowTypeAnnotations: false }],
      // Our objects are closures and never use `this`.
      '@typescript-eslint/unbound-method': 'off',
      // The rule treats variables that a callback changes as constants.
      '@typescript-eslint/no-unnecessary-condition': 'off',
      '@typescript-eslint/no-unused-vars': ['error', { argsIgnorePattern: '^_', varsIgnorePattern: '^_' }],
      'max-lines': ['error', { max: 300, skipBlankLines: true, skipComments: true }],
      'max-lines-per-function': ['error', { max: 70, skipBlankLines: true, skipComments: true }],
      'no-console': 'error',
      'no-restricted-syntax': ['error', ...publicOnly, ...transactionOnly],
    },
  },
  {
    // Tests read response bodies as `any`.
    files: ['test/**/*.ts'],
    rules: {
      'max-lines-per-function': 'off',
      'max-lines': 'off',
      '@typescript-eslint/no-unsafe-argument': 'off',
      '@typescript-eslint/no-unsafe-assignment': 'off',
      '@typescript-eslint/no-unsafe-call': 'off',
      '@typescript-eslint/no-unsafe-member-access': 'off',
      '@typescript-eslint/no-unsafe-return': 'off',
      '@typescript-eslint/require-await': 'off',
    },
  },
  ...boundaries,
  plainEnglish,
);
