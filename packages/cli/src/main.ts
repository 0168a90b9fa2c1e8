import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type Mayfly, MayflyError, MayflyTimeout, MayflyUnexpectedMessage } from '@mayfly/client';
import { type Arguments, UsageError, parseArguments } from './arguments.ts';
import { clientOf } from './client-of.ts';
import type { Command } from './command.ts';
import { claimCommands } from './commands/claims.ts';
import { completionOf } from './commands/completion.ts';
import { login, mcp, smtpCreate } from './commands/connect.ts';
import { contentCommands } from './commands/contents.ts';
import { listCommands } from './commands/lists.ts';
import { liveCommands } from './commands/live.ts';
import { mailboxCommands } from './commands/mailbox.ts';
import { messageCommands } from './commands/messages.ts';
import { sendCommands } from './commands/send.ts';
import { waitCommands } from './commands/wait.ts';
import { helpOf, overviewOf } from './help.ts';
import { GLOBAL } from './options.ts';
import { type Profile, readProfile } from './profile.ts';
import { type Streams, type Terminal, openTerminal } from './terminal/terminal.ts';

const listed: Command[] = [
  ...mailboxCommands,
  ...waitCommands,
  ...claimCommands,
  ...messageCommands,
  ...sendCommands,
  ...contentCommands,
  ...listCommands,
  smtpCreate,
  ...liveCommands,
  mcp,
  login,
];

const commands: readonly Command[] = [...listed, completionOf(listed)];

const DONE = 0;
/** Nothing came in time, or, for `none`, something did. */
const NOTHING_CAME = 1;
const USAGE = 2;
/** The service refused: a status 4xx. */
const REFUSED = 3;
/** The service cannot be reached, or failed: a status 5xx. */
const UNAVAILABLE = 4;

/** Runs the command line. @returns the exit code. */
export async function main(
  argv: string[],
  env: NodeJS.ProcessEnv,
  streams: Streams,
): Promise<number> {
  const terminal = openTerminal(streams, {
    isJson: argv.includes('--json'),
    env,
  });
  const chosen = commandOf(argv);
  if (chosen === null) {
    const text = answerOf(argv);
    if (text !== null) streams.stdout.write(`${text}\n`);
    else reportUnknown(terminal, argv);
    return text === null ? USAGE : DONE;
  }
  const { command, rest } = chosen;
  try {
    const args = parseArguments(rest, { ...command.options, ...GLOBAL }, command.mostWords ?? 0);
    if (args.has('help')) {
      streams.stdout.write(`${helpOf(command)}\n`);
      return DONE;
    }
    const login = () => loginOf(args, env);
    const connect = async (): Promise<Mayfly> => clientOf(await login());
    await command.run({ args, terminal, env, connect, login });
    return DONE;
  } catch (error) {
    report(terminal, command, error);
    return exitCodeOf(error);
  }
}

function commandOf(argv: string[]): { command: Command; rest: string[] } | null {
  const [first = '', second = ''] = argv;
  const two = commands.find(({ name }) => name === `${first} ${second}`);
  if (two) return { command: two, rest: argv.slice(2) };
  const one = commands.find(({ name }) => name === first);
  return one ? { command: one, rest: argv.slice(1) } : null;
}

/** What is printed for help and the version; null for words that ask for neither. */
function answerOf(argv: string[]): string | null {
  const words = argv.filter((word) => !HELP.includes(word));
  const [first = ''] = words;
  if (first === '--version') return `mayfly ${version()}`;
  if (words.length === argv.length) return null;
  const chosen = commandOf(words);
  if (chosen) return helpOf(chosen.command);
  const ofGroup = commands.filter(({ name }) => name.startsWith(`${first} `));
  if (words.length === 0 || ofGroup.length > 0)
    return overviewOf(words.length ? ofGroup : commands);
  return null;
}

const HELP = ['help', '--help', '-h'];
/** Commands of the package mayfly, which is the service. */
const OF_THE_SERVICE = /^(?:up|migrate|backup|move|(?:workspace|token|keys):\w+)$/;

function reportUnknown(terminal: Terminal, argv: string[]): void {
  const fault = faultOf(
    argv.filter((word) => !word.startsWith('-') && word !== 'help').slice(0, 2),
  );
  if (terminal.isJson) terminal.note(JSON.stringify({ error: fault, code: 'usage' }));
  else if (argv.length === 0) terminal.note(`mayfly: ${fault}\n\n${overviewOf(commands)}`);
  else terminal.note(`mayfly: ${fault} "mayfly --help" lists the commands.`);
}

/** @param words those that name no command */
function faultOf(words: string[]): string {
  const [first = ''] = words;
  if (first === '') return 'A command is missing.';
  const ofGroup = commands.filter(({ name }) => name.startsWith(`${first} `));
  if (ofGroup.length > 0)
    return `"${first}" needs ${ofGroup.map(({ name }) => name.slice(first.length + 1)).join(', ')}.`;
  if (OF_THE_SERVICE.test(first))
    return `"${first}" is a command of the service: run it with the mayfly of the service's package.`;
  return `No such command: "${words.join(' ')}".`;
}

function version(): string {
  // The bundler replaces a URL of a file by its content.
  const file = join(dirname(fileURLToPath(import.meta.url)), '../package.json');
  return (JSON.parse(readFileSync(file, 'utf8')) as { version: string }).version; // ours
}

/**
 * Options come first, then the environment, then the profile. @throws {UsageError} without a token.
 */
async function loginOf(args: Arguments, env: NodeJS.ProcessEnv): Promise<Profile> {
  const given = {
    url: args.text('url') || env['MAYFLY_URL']?.trim() || undefined,
    token: args.text('token') || env['MAYFLY_TOKEN']?.trim() || undefined,
  };
  const profile = given.url && given.token ? null : await readProfile(env);
  const url = given.url ?? profile?.url ?? 'http://localhost:3000';
  // A token is for the service that it was stored with.
  const token =
    given.token ?? (profile && sameOrigin(url, profile.url) ? profile.token : undefined);
  if (!token) throw new UsageError(`No token for ${url}. Set MAYFLY_TOKEN, or run "mayfly login".`);
  return { url, token };
}

function sameOrigin(one: string, other: string): boolean {
  return URL.canParse(one) && URL.canParse(other) && new URL(one).origin === new URL(other).origin;
}

function report(terminal: Terminal, { name }: Command, error: unknown): void {
  const told = error instanceof Error ? error.message : String(error);
  const message = told.replace(/\b(?:inbox|mayfly)\.mark\(\)/, 'mayfly mark');
  if (terminal.isJson) {
    terminal.note(JSON.stringify({ error: message, ...detailsOf(error) }));
    return;
  }
  const advice = error instanceof UsageError ? `\nRun "mayfly ${name} --help".` : '';
  const code = error instanceof MayflyError ? ` (${error.code})` : '';
  terminal.note(`mayfly: ${message}${code}${advice}`);
}

function exitCodeOf(error: unknown): number {
  if (error instanceof UsageError) return USAGE;
  if (error instanceof MayflyTimeout) return error.isAnswered ? NOTHING_CAME : UNAVAILABLE;
  if (error instanceof MayflyUnexpectedMessage) return NOTHING_CAME;
  if (error instanceof MayflyError && error.status >= 400 && error.status < 500) return REFUSED;
  return UNAVAILABLE;
}

function detailsOf(error: unknown): object {
  if (error instanceof MayflyTimeout) return { code: 'timeout', nearest: error.nearest };
  if (error instanceof MayflyError) {
    const { code, status, requestId, details } = error;
    return { code, status, requestId, details };
  }
  if (error instanceof UsageError) return { code: 'usage' };
  if (error instanceof MayflyUnexpectedMessage)
    return { code: 'unexpected_message', messageId: error.received.id };
  return { code: 'failed' };
}
