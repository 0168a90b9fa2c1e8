/**
 * `npm run token:create`: creates a token for a workspace, for example after its last token was
 * lost. Can run while the service runs.
 */
import type { Token } from '../../core/auth/tokens.ts';
import { grantToken } from '../../core/workspaces/workspaces.ts';
import { runScript, withContext } from './run-script.ts';
import { parseTokenArguments } from './arguments.ts';

runScript(async () => {
  const { domain, json, ...wanted } = parseTokenArguments(process.argv.slice(2));
  await withContext(async (context) => {
    const { row, value } = await grantToken(context, domain, wanted);
    process.stdout.write(json ? jsonText(row, value) : humanText(row, value));
  });
});

function jsonText({ id, workspaceId, name, role, expiresAt, mailboxes }: Token, value: string) {
  return `${JSON.stringify({ id, workspaceId, name, role, expiresAt, mailboxes, token: value })}\n`;
}

function humanText({ expiresAt, mailboxes }: Token, value: string) {
  return [
    `Token      ${value}`,
    ...(expiresAt ? [`Expires    ${expiresAt.toISOString()}`] : []),
    ...(mailboxes ? [`Mailboxes  ${mailboxes.join(', ')}`] : []),
    '           Save it now: it is not shown again.\n',
  ].join('\n');
}
