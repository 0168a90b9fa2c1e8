/**
 * `npm run workspace:delete`: deletes a workspace and all its data. Can run while the service runs.
 */
import { createInterface } from 'node:readline';
import { deleteWorkspace } from '../../core/retention/delete-workspace.ts';
import { AppError } from '../../core/errors.ts';
import { findWorkspace } from '../../core/workspaces/workspaces.ts';
import { parseDeleteArguments } from './arguments.ts';
import { runScript, withContext } from './run-script.ts';

runScript(async () => {
  const { domain, yes, json } = parseDeleteArguments(process.argv.slice(2));
  await withContext(async (context) => {
    const workspace = await findWorkspace(context, domain);
    const { id: workspaceId, name, plan } = workspace;
    if (!yes && !(await confirm(question(name, workspace.domain), workspace.domain))) {
      throw new AppError(
        'invalid_request',
        `Nothing was deleted: the input was not "${workspace.domain}". Use --yes to delete without confirmation.`,
      );
    }
    const { mailboxes, tokens } = await deleteWorkspace(context, workspace);
    const facts = { workspaceId, name, domain: workspace.domain, plan, mailboxes, tokens };
    process.stdout.write(
      json
        ? `${JSON.stringify(facts)}\n`
        : `Deleted    ${name} (${workspaceId}): ${mailboxes} mailboxes, ${tokens} tokens\n`,
    );
  });
});

function question(name: string, domain: string): string {
  return (
    `This deletes the workspace "${name}" with its mailboxes, messages, webhooks and tokens. This cannot be undone.\n` +
    `Type ${domain} to confirm: `
  );
}

/**
 * Prints the question to stderr and resolves to whether the next line of input is `expected`. End
 * of input resolves to false.
 */
async function confirm(question: string, expected: string): Promise<boolean> {
  process.stderr.write(question);
  const lines = createInterface({ input: process.stdin, terminal: false });
  for await (const line of lines) return line.trim() === expected;
  process.stderr.write('\n');
  return false;
}
