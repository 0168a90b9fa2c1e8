import { type ParseArgsConfig, parseArgs } from 'node:util';

/**
 * The settings that `read` makes of the arguments of a command for developers. `--help` prints the
 * usage and exits with 0; an invalid argument prints what is wrong and the usage and exits with 1.
 */
export function readCommandLine<T extends ParseArgsConfig, R>(
  usage: string,
  config: T,
  read: (parsed: ReturnType<typeof parseArgs<T>>) => R,
): R {
  if (process.argv.includes('--help')) {
    process.stdout.write(`${usage}\n`);
    process.exit(0);
  }
  try {
    return read(parseArgs(config));
  } catch (error) {
    process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n${usage}\n`);
    process.exit(1);
  }
}

/** @throws {TypeError} unless the text is a whole number above 0. */
export function positive(text: string): number {
  const value = Number(text);
  if (!Number.isInteger(value) || value < 1)
    throw new TypeError(`${text} is not a whole number above 0.`);
  return value;
}
