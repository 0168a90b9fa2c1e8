/** `npm run token:create`: a token for a workspace that nobody has one of any more, also beside a running service. */
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
        : `Token      ${value}\n           Keep it: it is shown this once.\n`,
    );
  });
});
