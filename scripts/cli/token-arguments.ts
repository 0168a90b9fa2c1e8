import { parseArgs } from 'node:util';
import { entryFault, storedScope } from '../../core/auth/stored-scope.ts';
import type { NewToken } from '../../core/auth/tokens.ts';
import { commandLine } from '../command-line.ts';
import { UsageError } from './run-script.ts';

const USAGE = `usage: ${commandLine('token:create')} --domain DOMAIN [--name NAME] [--role reader|member|admin]
         [--expires-in SECONDS] [--mailbox NAME_OR_LABEL]... [--json]`;
const MAX_NAME_LENGTH = 200;
const MAX_MAILBOXES = 100;
const MAX_SECONDS = 31_536_000;

export type TokenArguments = Required<NewToken> & { domain: string; json: boolean };

/** Parses the command line of `token:create`. @throws {UsageError} */
export function parseTokenArguments(args: string[]): TokenArguments {
  const { domain, name, role, json, mailbox, 'expires-in': seconds } = parse(args);
  if (domain === undefined) throw new UsageError('--domain is required', USAGE);
  if (role !== 'reader' && role !== 'member' && role !== 'admin') {
    throw new UsageError(`--role must be reader, member or admin, not "${role}"`, USAGE);
  }
  if (!name.trim() || name.length > MAX_NAME_LENGTH || /\p{Cc}/u.test(name)) {
    throw new UsageError(
      `--name must be a text of up to ${MAX_NAME_LENGTH} characters, without control characters`,
      USAGE,
    );
  }
  const expiresIn = seconds === undefined ? null : parseSeconds(seconds);
  return { domain, name, role, json, expiresIn, mailboxes: mailbox ? parseScope(mailbox) : null };
}

function parseSeconds(text: string): number {
  const seconds = Number(text);
  if (/^\d+$/.test(text) && seconds >= 1 && seconds <= MAX_SECONDS) return seconds;
  throw new UsageError(
    `--expires-in must be a number of seconds from 1 to ${MAX_SECONDS}, not "${text}"`,
    USAGE,
  );
}

function parseScope(entries: string[]): string[] {
  if (entries.length > MAX_MAILBOXES) {
    throw new UsageError(`--mailbox can be given at most ${MAX_MAILBOXES} times`, USAGE);
  }
  for (const entry of entries) {
    const fault = entryFault(entry);
    if (fault === null) continue;
    throw new UsageError(
      `--mailbox must be the name of a mailbox or a label as key:value, not "${entry}". ${fault}`,
      USAGE,
    );
  }
  return storedScope(entries);
}

function parse(args: string[]) {
  try {
    return parseArgs({
      args,
      options: {
        domain: { type: 'string' },
        name: { type: 'string', default: 'made by the operator' },
        role: { type: 'string', default: 'admin' },
        'expires-in': { type: 'string' },
        mailbox: { type: 'string', multiple: true },
        json: { type: 'boolean', default: false },
      },
    }).values;
  } catch (error) {
    throw new UsageError((error as Error).message, USAGE);
  }
}
