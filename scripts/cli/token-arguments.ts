import { parseArgs } from 'node:util';
import type { NewToken } from '../../core/auth/tokens.js';
import { commandLine } from '../command-line.js';
import { UsageError } from './run-script.js';

const USAGE = `usage: ${commandLine('token:create')} --domain DOMAIN [--name NAME] [--role reader|member|admin] [--json]`;
const MAX_NAME_LENGTH = 200;

export type TokenArguments = NewToken & { domain: string; json: boolean };

/** Parses the command line of `token:create`. @throws {UsageError} */
export function parseTokenArguments(args: string[]): TokenArguments {
  const { domain, name, role, json } = parse(args);
  if (domain === undefined) throw new UsageError('--domain is required', USAGE);
  if (role !== 'reader' && role !== 'member' && role !== 'admin') {
    throw new UsageError(`--role must be reader, member or admin, not "${role}"`, USAGE);
  }
  if (!name.trim() || name.length > MAX_NAME_LENGTH || /\p{Cc}/u.test(name)) {
    throw new UsageError(`--name must be a label of up to ${MAX_NAME_LENGTH} characters`, USAGE);
  }
  return { domain, name, role, json };
}

function parse(args: string[]) {
  try {
    return parseArgs({
      args,
      options: {
        domain: { type: 'string' },
        name: { type: 'string', default: 'made by the operator' },
        role: { type: 'string', default: 'admin' },
        json: { type: 'boolean', default: false },
      },
    }).values;
  } catch (error) {
    throw new UsageError((error as Error).message, USAGE);
  }
}
