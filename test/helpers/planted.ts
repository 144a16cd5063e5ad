import { resolve } from 'node:path';
import { ESLint, type Linter } from 'eslint';
import tseslint from 'typescript-eslint';

const ROOT = resolve(import.meta.dirname, '../..');

/** Lints code as if it were the file at a path. Rules that need types are off, because the file does not exist. */
export function lintPlanted(options: ESLint.Options = {}) {
  const eslint = new ESLint({
    cwd: ROOT,
    overrideConfig: [
      {
        files: ['**/*.ts'],
        ...tseslint.configs.disableTypeChecked,
        languageOptions: { parserOptions: { projectService: false } },
      },
    ],
    ...options,
  });
  return async (filePath: string, code: string): Promise<Linter.LintMessage[]> => {
    const [result] = await eslint.lintText(code, { filePath: resolve(ROOT, filePath) });
    return result?.messages ?? [];
  };
}
