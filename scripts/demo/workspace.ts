/** A new workspace in the instance of this checkout. */
import { openContext } from '../../core/open-context.ts';
import { AppError } from '../../core/errors.ts';
import { type CreatedWorkspace, createWorkspace } from '../../core/workspaces/workspaces.ts';
import { openScriptLog } from '../cli/script-log.ts';
import type { Config } from '../../core/config/config.ts';

const MAX_WORKSPACES = 1000;

/**
 * Creates the workspace `demo`, or `demo-2` if the domain of `demo` is in use, and so on.
 * @throws {AppError} `unavailable` if the database or Redis cannot be reached, `name_taken`.
 */
export async function createDemoWorkspace(config: Config): Promise<CreatedWorkspace> {
  const context = await openContext(config, openScriptLog());
  try {
    for (let n = 1; ; n += 1) {
      const name = n === 1 ? 'demo' : `demo-${n}`;
      try {
        return await createWorkspace(context, { name, domain: `${name}.localhost`, plan: 'pro' });
      } catch (error) {
        const isTaken = error instanceof AppError && error.code === 'name_taken';
        if (!isTaken || n === MAX_WORKSPACES) throw error;
      }
    }
  } finally {
    await context.close();
  }
}
