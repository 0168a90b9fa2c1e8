import { readFileSync } from 'node:fs';
import { parseArgs, parseEnv } from 'node:util';
import { AppError, errorText } from '../../core/errors.ts';
import { commandLine } from '../command-line.ts';

const USAGE = `usage: ${commandLine('move')} --to FILE
  FILE contains the variables that differ in the new location, one NAME=VALUE a line.`;

/**
 * Reads the variables from the file that the command line names.
 * @throws {AppError} `invalid_request` for an invalid command line or an unreadable file.
 */
export function targetVariables(args: string[]): NodeJS.ProcessEnv {
  try {
    const { to } = parseArgs({ args, options: { to: { type: 'string' } } }).values;
    if (to === undefined) throw new Error('--to is required');
    return parseEnv(readFileSync(to, 'utf8'));
  } catch (error) {
    throw new AppError('invalid_request', `${errorText(error)}\n${USAGE}`);
  }
}
