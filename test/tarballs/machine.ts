/** Programs run outside the repository, with the variables of a running Mayfly. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chromiumPath } from '../support/browser/launch.js';
import type { Product } from '../support/process/product.js';

export interface Machine {
  readonly product: Product;
  /** An empty folder outside the repository. */
  readonly folder: string;
  readonly env: NodeJS.ProcessEnv;
  /** Runs a program. @returns its output. @throws with its output if it fails. */
  readonly run: (cwd: string, program: string, ...args: string[]) => Promise<string>;
}

export function openMachine(product: Product, folder: string): Machine {
  const env: NodeJS.ProcessEnv = {
    ...process.env,
    MAYFLY_URL: `http://127.0.0.1:${product.httpPort}`,
    MAYFLY_TOKEN: product.token ?? '',
    SMTP_URL: `smtp://127.0.0.1:${product.smtpPort}?ignoreTLS=true`,
    CHROMIUM: chromiumPath(),
  };
  return {
    product,
    folder,
    env,
    run: async (cwd, program, ...args) => {
      const child = spawn(program, args, { cwd, env, stdio: ['ignore', 'pipe', 'pipe'] });
      let output = '';
      for (const stream of [child.stdout, child.stderr]) {
        stream.on('data', (chunk: Buffer) => (output += chunk.toString()));
      }
      const [code] = (await once(child, 'close')) as [number | null];
      if (code !== 0)
        throw new Error(`${program} ${args.join(' ')} ended with ${code}:\n${output}`);
      return output;
    },
  };
}

/** @throws unless the output is the one expected. */
export function mustEqual(actual: unknown, expected: unknown, what: string): void {
  if (actual === expected) return;
  throw new Error(`${what}: ${JSON.stringify(actual)} instead of ${JSON.stringify(expected)}`);
}
