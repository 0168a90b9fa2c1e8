/** `npm run workspace:list`: lists all workspaces with the number of their mailboxes and tokens. */
import { listWorkspaces } from '../../core/workspaces/workspaces.ts';
import { parseListArguments } from './arguments.ts';
import { runScript, withContext } from './run-script.ts';

runScript(async () => {
  const { json } = parseListArguments(process.argv.slice(2));
  await withContext(async (context) => {
    const workspaces = (await listWorkspaces(context)).map(({ id, ...facts }) => ({
      workspaceId: id,
      ...facts,
    }));
    const rows = workspaces.map(({ domain, name, plan, mailboxes, tokens }) => [
      ...[domain, name, plan, `${mailboxes}`, `${tokens}`],
    ]);
    process.stdout.write(json ? `${JSON.stringify(workspaces)}\n` : table(rows));
  });
});

function table(rows: string[][]): string {
  const all = [['DOMAIN', 'NAME', 'PLAN', 'MAILBOXES', 'TOKENS'], ...rows];
  const widths = all.reduce<number[]>(
    (known, row) => row.map((cell, i) => Math.max(cell.length, known[i] ?? 0)),
    [],
  );
  return all
    .map(
      (row) =>
        `${row
          .map((cell, i) => cell.padEnd(widths[i] ?? 0))
          .join('  ')
          .trimEnd()}\n`,
    )
    .join('');
}
