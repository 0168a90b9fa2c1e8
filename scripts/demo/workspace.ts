/** A new workspace in the instance of this checkout. */
import { AppError } from '../../core/errors.ts';
import { loadConfig } from '../../core/process/run-process.ts';
import { withContext } from '../cli/run-script.ts';
import type { Target } from './fill.ts';
import { expectService } from './rest.ts';

export interface DemoWorkspace extends Target {
  dashboard: string;
  /** Name of the workspace that was created; null for one that existed. */
  workspace: string | null;
}

const MAX_WORKSPACES = 1000;

/**
 * Creates the workspace `demo`, or `demo-2` if the domain of `demo` is in use, and so on.
 * @throws {DemoError} if the instance does not run.
 * @throws {AppError} `unavailable` if the database or Redis cannot be reached, `name_taken`.
 */
export async function createDemoWorkspace(): Promise<DemoWorkspace> {
  const { http, smtp } = loadConfig('script');
  const url = `http://127.0.0.1:${http.port}`;
  await expectService(url);
  const { name, token } = await create();
  return {
    ...{ token, workspace: name, apiUrl: `${url}/api`, dashboard: `${http.publicUrl}/` },
    smtp: { host: '127.0.0.1', port: smtp.port },
  };
}

async function create(): Promise<{ name: string; token: string }> {
  let created: { name: string; token: string } | undefined;
  await withContext(async (context) => {
    const { createWorkspace } = await import('../../core/workspaces/workspaces.ts');
    for (let n = 1; created === undefined; n += 1) {
      const name = n === 1 ? 'demo' : `demo-${n}`;
      try {
        created = await createWorkspace(context, {
          ...{ name, domain: `${name}.localhost`, plan: 'pro' },
        });
      } catch (error) {
        const isTaken = error instanceof AppError && error.code === 'name_taken';
        if (!isTaken || n === MAX_WORKSPACES) throw error;
      }
    }
  });
  if (!created) throw new Error('no workspace was created');
  return created;
}
