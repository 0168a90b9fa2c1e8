import { readFileSync } from 'node:fs';
import { parseArgs, parseEnv } from 'node:util';
import { AppError, errorText } from '../../core/errors.js';

const USAGE = `usage: npm run move -- --to FILE
  FILE holds the variables that differ at the new place, one NAME=VALUE a line.`;

/**
 * The variables in the file that the command line names.
 * @throws {AppError} `invalid_request` for another command line, or a file that cannot be read.
 */
export function targetVariables(args: string[]): NodeJS.ProcessEnv {
  try {
    const { to } = parseArgs({ args, options: { to: { type: 'string' } } }).values;
    if (to === undefined) throw new Error('--to must be given');
    return parseEnv(readFileSync(to, 'utf8'));
  } catch (error) {
    throw new AppError('invalid_request', `${errorText(error)}\n${USAGE}`);
  }
}
