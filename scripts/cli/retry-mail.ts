/** `npm run mail:retry`: queues all quarantined mail again. Can run while the service runs. */
import { retryQuarantined } from '../../core/ingest/retry-quarantined.ts';
import { parseRetryArguments } from './arguments.ts';
import { runScript, withContext } from './run-script.ts';

runScript(async () => {
  const { json } = parseRetryArguments(process.argv.slice(2));
  await withContext(async (context) => {
    const mails = await retryQuarantined(context);
    process.stdout.write(json ? `${JSON.stringify({ mails })}\n` : `Queued     ${mails} mails\n`);
  });
});
