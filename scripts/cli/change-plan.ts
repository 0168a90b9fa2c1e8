/** `npm run workspace:plan`: changes the plan of a workspace, effective with its next request. */
import { changePlan } from '../../core/workspaces/workspaces.ts';
import { parsePlanArguments } from './arguments.ts';
import { runScript, withContext } from './run-script.ts';

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
