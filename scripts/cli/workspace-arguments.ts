/**
 * The command lines of `workspace:create`, `workspace:list`, `workspace:plan` and
 * `workspace:delete`.
 */
import { type ParseArgsConfig, parseArgs } from 'node:util';
import type { Plan } from '../../core/workspaces/workspaces.ts';
import { commandLine } from '../command-line.ts';
import { UsageError } from './run-script.ts';

const usage = {
  create: `usage: ${commandLine('workspace:create')} --name NAME --domain DOMAIN [--plan free|pro] [--json]`,
  list: `usage: ${commandLine('workspace:list')} [--json]`,
  plan: `usage: ${commandLine('workspace:plan')} --domain DOMAIN --plan free|pro [--json]`,
  delete: `usage: ${commandLine('workspace:delete')} --domain DOMAIN [--yes] [--json]`,
};

const text = { type: 'string' } as const;
const flag = { type: 'boolean', default: false } as const;

/** @throws {UsageError} */
export function parseCreateArguments(args: string[]) {
  const options = { name: text, domain: text, plan: text, json: flag };
  const { name, domain, plan, json } = parse(args, options, usage.create);
  const missing = Object.entries({ name, domain }).flatMap(([option, value]) =>
    value === undefined ? [`--${option}`] : [],
  );
  if (name === undefined || domain === undefined) {
    throw new UsageError(`missing option: ${missing.join(', ')}`, usage.create);
  }
  return { name, domain, json, plan: plan === undefined ? undefined : toPlan(plan, usage.create) };
}

/** @throws {UsageError} */
export function parseListArguments(args: string[]) {
  return parse(args, { json: flag }, usage.list);
}

/** @throws {UsageError} */
export function parsePlanArguments(args: string[]) {
  const { domain, plan, json } = parse(args, { domain: text, plan: text, json: flag }, usage.plan);
  return {
    domain: required('domain', domain, usage.plan),
    plan: toPlan(required('plan', plan, usage.plan), usage.plan),
    json,
  };
}

/** @throws {UsageError} */
export function parseDeleteArguments(args: string[]) {
  const { domain, yes, json } = parse(args, { domain: text, yes: flag, json: flag }, usage.delete);
  return { domain: required('domain', domain, usage.delete), yes, json };
}

function required(option: string, value: string | undefined, usageText: string): string {
  if (value === undefined) throw new UsageError(`--${option} is required`, usageText);
  return value;
}

function toPlan(value: string, usageText: string): Plan {
  if (value === 'free' || value === 'pro') return value;
  throw new UsageError(`--plan must be free or pro, not "${value}"`, usageText);
}

function parse<Options extends NonNullable<ParseArgsConfig['options']>>(
  args: string[],
  options: Options,
  usageText: string,
) {
  try {
    return parseArgs({ args, options }).values;
  } catch (error) {
    throw new UsageError((error as Error).message, usageText);
  }
}
