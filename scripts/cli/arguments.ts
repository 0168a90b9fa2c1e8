/** The command lines of the commands for workspaces and tokens. */
import { type ParseArgsConfig, parseArgs } from 'node:util';
import { normalizeDomain } from '../../core/addresses.ts';
import { entryFault, storedScope } from '../../core/auth/reach.ts';
import type { NewToken } from '../../core/auth/tokens.ts';
import type { Plan } from '../../core/workspaces/workspaces.ts';
import { commandLine } from '../command-line.ts';
import { UsageError } from './run-script.ts';

const text = { type: 'string' } as const;
const flag = { type: 'boolean', default: false } as const;

const createWorkspace = {
  usage: `usage: ${commandLine('workspace:create')} --name NAME --domain DOMAIN [--plan free|pro] [--json]`,
  options: { name: text, domain: text, plan: text, json: flag },
};
const listWorkspaces = {
  usage: `usage: ${commandLine('workspace:list')} [--json]`,
  options: { json: flag },
};
const changePlan = {
  usage: `usage: ${commandLine('workspace:plan')} --domain DOMAIN --plan free|pro [--json]`,
  options: { domain: text, plan: text, json: flag },
};
const deleteWorkspace = {
  usage: `usage: ${commandLine('workspace:delete')} --domain DOMAIN [--yes] [--json]`,
  options: { domain: text, yes: flag, json: flag },
};
const retryMail = {
  usage: `usage: ${commandLine('mail:retry')} [--json]`,
  options: { json: flag },
};
const createToken = {
  usage: `usage: ${commandLine('token:create')} --domain DOMAIN [--name NAME] [--role reader|member|admin]
         [--expires-in SECONDS] [--mailbox NAME_OR_LABEL]... [--json]`,
  options: {
    domain: text,
    name: { ...text, default: 'made by the operator' },
    role: { ...text, default: 'admin' },
    'expires-in': text,
    mailbox: { ...text, multiple: true },
    json: flag,
  },
} as const;

const MAX_TOKEN_NAME_LENGTH = 200;
const MAX_MAILBOXES = 100;
const MAX_SECONDS = 31_536_000;

/** @throws {UsageError} */
export function parseCreateArguments(args: string[]) {
  const { usage } = createWorkspace;
  const { name, domain, plan, json } = parse(args, createWorkspace);
  const missing = Object.entries({ name, domain }).flatMap(([option, value]) =>
    value === undefined ? [`--${option}`] : [],
  );
  if (name === undefined || domain === undefined) {
    throw new UsageError(`missing option: ${missing.join(', ')}`, usage);
  }
  return { name, domain, json, plan: plan === undefined ? undefined : toPlan(plan, usage) };
}

/** @throws {UsageError} */
export function parseListArguments(args: string[]) {
  return parse(args, listWorkspaces);
}

/** @throws {UsageError} */
export function parseRetryArguments(args: string[]) {
  return parse(args, retryMail);
}

/** @throws {UsageError} */
export function parsePlanArguments(args: string[]) {
  const { usage } = changePlan;
  const { domain, plan, json } = parse(args, changePlan);
  return {
    domain: required('domain', domain, usage),
    plan: toPlan(required('plan', plan, usage), usage),
    json,
  };
}

/** @throws {UsageError} */
export function parseDeleteArguments(args: string[]) {
  const { domain, yes, json } = parse(args, deleteWorkspace);
  return { domain: required('domain', domain, deleteWorkspace.usage), yes, json };
}

type TokenArguments = Required<NewToken> & { domain: string; json: boolean };

/** @throws {UsageError} */
export function parseTokenArguments(args: string[]): TokenArguments {
  const { usage } = createToken;
  const { name, role, json, mailbox, ...given } = parse(args, createToken);
  const domain = required('domain', given.domain, usage);
  if (role !== 'reader' && role !== 'member' && role !== 'admin') {
    throw new UsageError(`--role must be reader, member or admin, not "${role}"`, usage);
  }
  if (!name.trim() || name.length > MAX_TOKEN_NAME_LENGTH || /\p{Cc}/u.test(name)) {
    throw new UsageError(
      `--name must be a text of up to ${MAX_TOKEN_NAME_LENGTH} characters, without control characters`,
      usage,
    );
  }
  const seconds = given['expires-in'];
  const expiresIn = seconds === undefined ? null : toSeconds(seconds, usage);
  const mailboxes = mailbox ? toScope(mailbox, normalizeDomain(domain), usage) : null;
  return { domain, name, role, json, expiresIn, mailboxes };
}

function parse<Options extends NonNullable<ParseArgsConfig['options']>>(
  args: string[],
  { usage, options }: { usage: string; options: Options },
) {
  try {
    return parseArgs({ args, options }).values;
  } catch (error) {
    throw new UsageError((error as Error).message, usage);
  }
}

function required(option: string, value: string | undefined, usage: string): string {
  if (value === undefined) throw new UsageError(`--${option} is required`, usage);
  return value;
}

function toPlan(value: string, usage: string): Plan {
  if (value === 'free' || value === 'pro') return value;
  throw new UsageError(`--plan must be free or pro, not "${value}"`, usage);
}

function toSeconds(value: string, usage: string): number {
  const seconds = Number(value);
  if (/^\d+$/.test(value) && seconds >= 1 && seconds <= MAX_SECONDS) return seconds;
  throw new UsageError(
    `--expires-in must be a number of seconds from 1 to ${MAX_SECONDS}, not "${value}"`,
    usage,
  );
}

function toScope(entries: string[], domain: string, usage: string): string[] {
  if (entries.length > MAX_MAILBOXES) {
    throw new UsageError(`--mailbox can be given at most ${MAX_MAILBOXES} times`, usage);
  }
  for (const entry of entries) {
    const fault = entryFault(entry, domain);
    if (fault === null) continue;
    throw new UsageError(
      `--mailbox must be the name or address of a mailbox or a label as key:value, not "${entry}". ${fault}`,
      usage,
    );
  }
  return storedScope(entries, domain);
}
