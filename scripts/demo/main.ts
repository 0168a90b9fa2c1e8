/**
 * `npm run demo`: fills a running instance with mail in ten languages. Without arguments it creates
 * a workspace in the instance of this checkout.
 */
import { loadConfig } from '../../core/process/run-process.ts';
import { ConfigError } from '../../core/config/config.ts';
import { AppError, errorText } from '../../core/errors.ts';
import { USAGE, UsageError, parseArguments } from './arguments.ts';
import { type Filled, type Target, fill } from './fill.ts';
import { openReceivers } from './receivers.ts';
import { DemoError, expectService } from './rest.ts';

interface Place extends Target {
  dashboard: string;
  /** The workspace that was created; null for one that existed. */
  workspace: string | null;
}

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

/** Creates a workspace with the configuration of the service. */
async function localPlace(): Promise<Place> {
  const config = loadConfig('script');
  const url = `http://127.0.0.1:${config.http.port}`;
  await expectService(url);
  // Loaded on demand: an instance that is not running is reported without loading the service.
  const { createDemoWorkspace } = await import('./workspace.ts');
  const { token, name } = await createDemoWorkspace(config);
  return {
    ...{ token, workspace: name, apiUrl: `${url}/api` },
    smtp: { host: '127.0.0.1', port: config.smtp.port },
    dashboard: `${config.http.publicUrl}/`,
  };
}

async function remotePlace(given: { url: string } & Omit<Target, 'apiUrl'>): Promise<Place> {
  const { url, token, smtp } = given;
  await expectService(url);
  return { token, smtp, workspace: null, apiUrl: `${url}/api`, dashboard: `${url}/` };
}

function summary(place: Place, filled: Filled): string {
  const { registered, refusal } = filled.webhooks;
  const lines = [
    ['Dashboard', place.dashboard],
    ['Token', place.token],
    ...(place.workspace === null ? [] : [['Workspace', `${place.workspace}, plan pro`]]),
    ['Mailboxes', `${filled.mailboxes.length} in ${filled.domain}, with labels`],
    ['Mails', `${filled.mails} in ${filled.languages} languages, ${filled.messages} messages`],
    [
      'Caught',
      `${filled.caught} mails to other domains, in the mailboxes storefront and newsletter`,
    ],
    ['Claims', `${filled.claims} messages of the mailbox signup`],
    ['Webhooks', `${registered.length}${registered.length > 0 ? ', two of which fail' : ''}`],
    ...(refusal === null ? [] : [['', `Others were refused: ${refusal}`]]),
  ];
  return lines.map(([label = '', text = '']) => `${label.padEnd(11)}${text}\n`).join('');
}

function fail(error: unknown): void {
  if (error instanceof UsageError) {
    process.stderr.write(`mayfly: ${error.message}\n${USAGE}`);
    process.exitCode = 2;
    return;
  }
  const isExpected =
    error instanceof DemoError || error instanceof AppError || error instanceof ConfigError;
  const text = isExpected || !(error instanceof Error) ? errorText(error) : error.stack;
  process.stderr.write(`mayfly: ${text ?? 'unknown error'}\n`);
  process.exitCode = 1;
}

main().catch(fail);
