import { parseArgs, type ParseArgsConfig } from 'node:util';

/** Parses this process's arguments. If an argument is wrong, prints the reason and the usage, and exits with 2. */
export function commandLine<Config extends ParseArgsConfig>(usage: string, config: Config) {
  try {
    return parseArgs(config);
  } catch (error) {
    process.stderr.write(`${(error as Error).message}\n\n${usage}\n`);
    process.exit(2);
  }
}
