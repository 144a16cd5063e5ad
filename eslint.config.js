import tseslint from 'typescript-eslint';
import importX from 'eslint-plugin-import-x';
import comments from './tools/eslint-comments.js';

const forbid = (...patterns) => ({
  'no-restricted-imports': ['error', { patterns: patterns.map(([group, message]) => ({ group, message })) }],
});
/** What starts, tries or measures the service, and so stands above it. */
const OUTSIDE_SERVICE = ['**/programs/**', '**/tools/**', '**/test/**', '**/client/**', '**/examples/**'];

/** Inside a transaction, a query through `db` would use a second connection and commit alone. */
const transactionOnly = ['callee.object.name', 'callee.object.property.name'].map((path) => ({
  selector: `CallExpression[callee.property.name=/^(transaction|groupTransaction)$/] > :function CallExpression[${path}='db']`,
  message: 'Use the transaction instead of the database.',
}));

/** Import rules between folders; `test/lint/boundaries.test.ts` plants a violation of each rule. */
const boundaries = [
  {
    files: ['domain/**/*.ts'],
    rules: forbid(
      [
        ['**/api/**', '**/activities/**', '**/workflows/**', '**/infra/**', '**/openapi/**', ...OUTSIDE_SERVICE],
        'domain/ holds pure rules: it imports itself and decimal.js.',
      ],
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
              group: ['**/api/**', '**/infra/**', '**/openapi/**', ...OUTSIDE_SERVICE],
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
    files: ['infra/**/*.ts'],
    rules: forbid([
      ['**/api/**', '**/activities/**', ...OUTSIDE_SERVICE],
      'infra/ knows domain/ and the ids of workflows, and nothing above.',
    ]),
  },
  {
    files: ['bank', 'charts', 'credential', 'db', 'documents', 'keys', 'oidc', 'pdf'].map(
      (adapter) => `infra/${adapter}/**/*.ts`,
    ),
    rules: forbid([
      ['**/api/**', '**/activities/**', '**/workflows/**', ...OUTSIDE_SERVICE],
      'An adapter knows domain/ and nothing above.',
    ]),
  },
  {
    files: ['activities/**/*.ts'],
    rules: forbid(
      [
        ['**/api/**', '**/workflows/**', ...OUTSIDE_SERVICE],
        'activities/ knows nothing of HTTP, workflows or programs.',
      ],
      [['express', '@temporalio/*'], 'activities/ are plain functions: no Express, no Temporal.'],
    ),
  },
  {
    files: ['api/**/*.ts'],
    rules: forbid(
      [
        ['**/infra/db/**', '!**/infra/db/transaction.ts', '@mikro-orm/*', 'pg'],
        'api/ never touches an entity or SQL; call an activity.',
      ],
      [['**/workflows/**', ...OUTSIDE_SERVICE], 'api/ knows nothing of workflows or programs.'],
    ),
  },
  {
    files: ['programs/sandbox-bank/**/*.ts'],
    rules: forbid([
      ['**/api/**', '**/activities/**', '**/workflows/**'],
      'The sandbox bank is another company: it knows nothing of the service but its identifiers.',
    ]),
  },
  {
    files: ['programs/**/*.ts'],
    ignores: ['programs/sandbox-bank/**'],
    rules: forbid([['**/tools/**', '**/test/**'], 'A program needs no tool and no test.']),
  },
  {
    files: ['examples/**/*.ts'],
    rules: forbid([
      ['**/api/**', '**/activities/**', '**/workflows/**', '**/infra/**', '**/openapi/**', '**/domain/**'],
      'An example uses the service from outside: it knows client/ alone.',
    ]),
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

const PLAIN_ENGLISH = [
  'activities',
  'api',
  'client',
  'domain',
  'examples',
  'infra',
  'programs',
  'test',
  'tools',
  'workflows',
];
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
    plugins: { 'import-x': importX },
    settings: { 'import-x/extensions': ['.ts', '.js'], 'import-x/parsers': { '@typescript-eslint/parser': ['.ts'] } },
    rules: {
      'import-x/no-cycle': ['error', { ignoreExternal: true }],
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
  {
    // A drawn page is a list of texts and lines, however long.
    files: ['tools/{payslips,training/layouts}/**/*.ts', 'tools/bench/load-routes.ts'],
    rules: { 'max-lines-per-function': 'off' },
  },
  ...boundaries,
  plainEnglish,
);
