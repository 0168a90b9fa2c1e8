/**
 * `npm run demo`: fills a running instance with mail in ten languages. Without arguments it creates
 * a workspace in the instance of this checkout.
 */
import { USAGE, UsageError, parseArguments } from './arguments.ts';
import { type Filled, type Target, fill } from './fill.ts';
import { openReceivers } from './receivers.ts';
import { DemoError, expectService } from './rest.ts';
import type { DemoWorkspace } from './workspace.ts';

async function main(): Promise<void> {
  const parsed = parseArguments(process.argv.slice(2));
  if (parsed.mode === 'help') {
    process.stdout.write(USAGE);
    return;
  }
  const place = parsed.mode === 'local' ? await localPlace() : await remotePlace(parsed);
  const receivers = await openReceivers();
  try {
    process.stdout.write(summary(place, await fill(place, receivers)));
  } finally {
    await receivers.close();
  }
}

/** Loaded on demand: the workspace of a token needs nothing of the service. */
async function localPlace(): Promise<DemoWorkspace> {
  const { createDemoWorkspace } = await import('./workspace.ts');
  return createDemoWorkspace();
}

async function remotePlace(
  given: { url: string } & Omit<Target, 'apiUrl'>,
): Promise<DemoWorkspace> {
  const { url, token, smtp } = given;
  await expectService(url);
  return { token, smtp, workspace: null, apiUrl: `${url}/api`, dashboard: `${url}/` };
}

function summary(place: DemoWorkspace, filled: Filled): string {
  const { registered, refusal } = filled.webhooks;
  const lines = [
    ['Dashboard', place.dashboard],
    ['Token', place.token],
    ...(place.workspace === null ? [] : [['Workspace', `${place.workspace}, plan pro`]]),
    ['Mailboxes', `${filled.mailboxes.length} in ${filled.domain}, with labels`],
    ['Mails', `${filled.mails} in ${filled.languages} languages, ${filled.messages} messages`],
    [
      'Caught',
      `${filled.caught} messages to other domains, in the mailboxes storefront and newsletter`,
    ],
    ['Claims', `${filled.claims} messages of the mailbox signup`],
    [
      'Webhooks',
      refusal === null
        ? `${registered.length}, two of which fail`
        : `${registered.length}, because the service refused others: ${refusal}`,
    ],
  ];
  return lines.map(([label = '', text = '']) => `${label.padEnd(11)}${text}\n`).join('');
}

async function fail(error: unknown): Promise<void> {
  if (error instanceof UsageError) {
    process.stderr.write(`mayfly: ${error.message}\n${USAGE}`);
    process.exitCode = 2;
  } else if (error instanceof DemoError) {
    process.stderr.write(`mayfly: ${error.message}\n`);
    process.exitCode = 1;
  } else {
    const { failStart } = await import('../../core/process/run-process.ts');
    failStart(error);
  }
}

main().catch(fail);
