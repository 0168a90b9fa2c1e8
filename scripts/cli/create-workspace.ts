/**
 * `npm run workspace:create`: creates a workspace and prints its first token. Can run while the
 * service runs.
 */
import { type CreatedWorkspace, createWorkspace } from '../../core/workspaces/workspaces.ts';
import { parseCreateArguments } from './arguments.ts';
import { runScript, withContext } from './run-script.ts';

runScript(async () => {
  const { json, plan, ...wanted } = parseCreateArguments(process.argv.slice(2));
  await withContext(async (context, { production }) => {
    const created = await createWorkspace(context, {
      ...wanted,
      plan: plan ?? (production ? 'free' : 'pro'),
    });
    process.stdout.write(json ? `${JSON.stringify(created)}\n` : humanText(created));
  });
});

function humanText(created: CreatedWorkspace): string {
  return [
    `Workspace  ${created.name} (${created.workspaceId}), plan ${created.plan}`,
    `Domain     ${created.domain}`,
    `Token      ${created.token}`,
    '           Save it now: it is not shown again.\n',
  ].join('\n');
}
