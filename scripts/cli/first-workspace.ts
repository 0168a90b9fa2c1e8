/**
 * Creates the first workspace of an empty database, and what the variables BOOTSTRAP_... name. `up`
 * runs it and receives the token over IPC, so the token appears in no log.
 */
import { failStart } from '../../core/process/run-process.ts';
import { findExistingWorkspace } from './existing-workspace.ts';

async function main(): Promise<void> {
  const existing = await findExistingWorkspace();
  process.send?.(existing ?? (await create()));
}

/** Loaded on demand: a later start does not need it. */
async function create() {
  const { createFirstWorkspace } = await import('./create-first-workspace.ts');
  return createFirstWorkspace();
}

main().catch(failStart);
