/** `npm run workspace:create`: makes a workspace and shows its first token, also beside a running service. */
import { openContext } from '../core/context.js';
import { loadConfig } from '../core/entry.js';
import { type CreatedWorkspace, createWorkspace } from '../core/workspaces.js';
import { parseWorkspaceArguments } from './workspace-arguments.js';
import { runScript } from './run-script.js';
import { openScriptLog } from './script-log.js';

async function main(): Promise<void> {
  const { json, ...wanted } = parseWorkspaceArguments(process.argv.slice(2));
  const context = await openContext(loadConfig('script'), openScriptLog());
  try {
    const created = await createWorkspace(context, wanted);
    process.stdout.write(json ? `${JSON.stringify(created)}\n` : humanText(created));
  } finally {
    await context.close();
  }
}

function humanText(created: CreatedWorkspace): string {
  return [
    `Workspace  ${created.name} (${created.workspaceId}), plan ${created.plan}`,
    `Domain     ${created.domain}`,
    `Token      ${created.token}`,
    '           Keep it: it is shown this once.\n',
  ].join('\n');
}

runScript(main);
