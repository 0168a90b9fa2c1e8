/** `npm run workspace:plan`: changes the plan of a workspace, effective with its next request. */
import { changePlan } from '../../core/workspaces/workspaces.ts';
import { parsePlanArguments } from './workspace-arguments.ts';
import { runScript } from './run-script.ts';
import { withContext } from './with-context.ts';

runScript(async () => {
  const { domain, plan, json } = parsePlanArguments(process.argv.slice(2));
  await withContext(async (context) => {
    const { id: workspaceId, ...changed } = await changePlan(context, domain, plan);
    const facts = { workspaceId, name: changed.name, domain: changed.domain, plan: changed.plan };
    process.stdout.write(
      json
        ? `${JSON.stringify(facts)}\n`
        : `Workspace  ${facts.name} (${workspaceId}), plan ${facts.plan}\n`,
    );
  });
});
