/**
 * Creates the first workspace of an empty database. `up` runs it and receives the token over IPC,
 * so the token appears in no log.
 */
import { resolveDirectly } from '../../core/process/direct-resolution.js';
import { failStart } from '../../core/process/run-process.js';

async function main(): Promise<void> {
  resolveDirectly();
  const { existingWorkspace } = await import('./existing-workspace.js');
  const existing = await existingWorkspace();
  if (existing) {
    process.send?.(existing);
    return;
  }
  const { createFirstWorkspace } = await import('./create-first-workspace.js');
  process.send?.(await createFirstWorkspace());
}

main().catch(failStart);
