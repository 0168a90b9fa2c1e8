import { parseArgs } from 'node:util';
import type { NewWorkspace } from '../core/workspaces.js';
import { UsageError } from './run-script.js';

const USAGE =
  'usage: npm run workspace:create -- --name NAME --domain DOMAIN [--plan free|pro] [--json]';

/** The command line of `workspace:create`. @throws {UsageError} */
export function parseWorkspaceArguments(args: string[]): NewWorkspace & { json: boolean } {
  const { name, domain, plan, json } = parse(args);
  const missing = Object.entries({ name, domain }).flatMap(([option, value]) =>
    value === undefined ? [`--${option}`] : [],
  );
  if (name === undefined || domain === undefined) {
    throw new UsageError(`${missing.join(' and ')} must be given`, USAGE);
  }
  if (plan !== 'free' && plan !== 'pro') {
    throw new UsageError(`--plan must be free or pro, not "${plan}"`, USAGE);
  }
  return { name, domain, plan, json };
}

function parse(args: string[]) {
  try {
    return parseArgs({
      args,
      options: {
        name: { type: 'string' },
        domain: { type: 'string' },
        plan: { type: 'string', default: 'free' },
        json: { type: 'boolean', default: false },
      },
    }).values;
  } catch (error) {
    throw new UsageError((error as Error).message, USAGE);
  }
}
