/** `npm run token:create`: a token for a workspace that nobody has one of any more, also beside a running service. */
import { openContext } from '../core/context.js';
import { loadConfig } from '../core/entry.js';
import { grantToken } from '../core/workspaces.js';
import { runScript } from './run-script.js';
import { openScriptLog } from './script-log.js';
import { parseTokenArguments } from './token-arguments.js';

runScript(async () => {
  const { domain, json, ...wanted } = parseTokenArguments(process.argv.slice(2));
  const context = await openContext(loadConfig('script'), openScriptLog());
  try {
    const { row, value } = await grantToken(context, domain, wanted);
    const { id, workspaceId, name, role } = row;
    process.stdout.write(
      json
        ? `${JSON.stringify({ id, workspaceId, name, role, token: value })}\n`
        : `Token      ${value}\n           Keep it: it is shown this once.\n`,
    );
  } finally {
    await context.close();
  }
});
