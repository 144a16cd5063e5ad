import { resolve } from 'node:path';
import ts from 'typescript';

const ROOT = resolve(import.meta.dirname, '../..');

export interface TypeFault {
  /** Counted from 1. */
  line: number;
  message: string;
}

/** The type errors of `code`, compiled as the file `path` of this project, with the project's options. */
export function typeFaultsOf(path: string, code: string): TypeFault[] {
  const file = resolve(ROOT, path);
  const { config } = ts.readConfigFile(resolve(ROOT, 'tsconfig.json'), (name) => ts.sys.readFile(name)) as {
    config: { compilerOptions: object };
  };
  const { options } = ts.convertCompilerOptionsFromJson(config.compilerOptions, ROOT);
  const host = ts.createCompilerHost(options);
  const { getSourceFile, fileExists, readFile } = host;
  host.fileExists = (name) => name === file || fileExists(name);
  host.readFile = (name) => (name === file ? code : readFile(name));
  host.getSourceFile = (name, version) =>
    name === file ? ts.createSourceFile(name, code, version) : getSourceFile(name, version);
  const program = ts.createProgram([file], options, host);
  return program.getSemanticDiagnostics(program.getSourceFile(file)).map(({ file: source, start, messageText }) => ({
    line: source!.getLineAndCharacterOfPosition(start!).line + 1,
    message: ts.flattenDiagnosticMessageText(messageText, '\n'),
  }));
}
