/**
 * `npm run token:create`: creates a token for a workspace, for example after its last token was
 * lost. Can run while the service runs.
 */
import { grantToken } from '../../core/workspaces/workspaces.js';
import { runScript } from './run-script.js';
import { parseTokenArguments } from './token-arguments.js';
import { withContext } from './with-context.js';

runScript(async () => {
  const { domain, json, ...wanted } = parseTokenArguments(process.argv.slice(2));
  await withContext(async (context) => {
    const { row, value } = await grantToken(context, domain, wanted);
    const { id, workspaceId, name, role } = row;
    process.stdout.write(
      json
        ? `${JSON.stringify({ id, workspaceId, name, role, token: value })}\n`
        : `Token      ${value}\n           Save it now: it is not shown again.\n`,
    );
  });
});
