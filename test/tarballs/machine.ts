/** Programs run outside the repository, with the variables of a running Mayfly. */
import { spawn } from 'node:child_process';
import { chromiumPath } from '../support/browser/launch.ts';
import { makeCheckout, pathOfMachine } from './checkout.ts';
import type { Product } from '../support/process/product.ts';
import { follow } from '../support/process/programs.ts';

export interface Machine {
  readonly product: Product;
  /** A folder outside the repository, for projects. */
  readonly folder: string;
  /** A copy of the repository in the folder. */
  readonly checkout: string;
  readonly env: NodeJS.ProcessEnv;
  /** The same machine with other variables. */
  readonly with: (env: NodeJS.ProcessEnv) => Machine;
  /** Runs a program. @returns its output. @throws with its output if it fails. */
  readonly run: (cwd: string, program: string, ...args: string[]) => Promise<string>;
}

export async function openMachine(product: Product, folder: string): Promise<Machine> {
  const env: NodeJS.ProcessEnv = {
    ...process.env,
    MAYFLY_URL: `http://127.0.0.1:${product.httpPort}`,
    MAYFLY_TOKEN: product.token ?? '',
    SMTP_URL: `smtp://127.0.0.1:${product.smtpPort}`,
    CHROMIUM: chromiumPath(),
  };
  return machineWith({ product, folder, checkout: await makeCheckout(folder) }, env);
}

function machineWith(
  place: Pick<Machine, 'product' | 'folder' | 'checkout'>,
  env: NodeJS.ProcessEnv,
): Machine {
  return {
    ...place,
    env,
    with: (other) => machineWith(place, other),
    run: async (cwd, program, ...args) => {
      // A checkout finds its own Node.js.
      const PATH = cwd === place.checkout ? pathOfMachine(env['PATH']) : env['PATH'];
      const child = spawn(program, args, {
        ...{ cwd, env: { ...env, PATH } },
        stdio: ['ignore', 'pipe', 'pipe'],
      });
      const { output, exited } = follow(child);
      const code = await exited;
      if (code !== 0)
        throw new Error(`${program} ${args.join(' ')} ended with ${code}:\n${output()}`);
      return output();
    },
  };
}

/** @throws unless the output is the one expected. */
export function mustEqual(actual: unknown, expected: unknown, what: string): void {
  if (actual === expected) return;
  throw new Error(`${what}: ${JSON.stringify(actual)} instead of ${JSON.stringify(expected)}`);
}
