import { type Mayfly, MayflyError, MayflyTimeout, createClient } from '@mayfly/client';
import { type Arguments, parseArguments } from './arguments.js';
import type { Command } from './command.js';
import { commands } from './commands.js';
import { DONE, USAGE, exitCodeOf } from './exit-code.js';
import { helpOf, overviewOf } from './help.js';
import { GLOBAL } from './options.js';
import { type Profile, readProfile } from './profile.js';
import { type Terminal, openTerminal } from './terminal/terminal.js';
import { UsageError } from './usage-error.js';

/** Runs the command line. @returns the exit code. */
export async function main(argv: string[], env: NodeJS.ProcessEnv): Promise<number> {
  const terminal = openTerminal(process.stdout, process.stderr, {
    isJson: argv.includes('--json'),
    env,
  });
  const chosen = commandOf(argv);
  if (chosen === null) {
    const isAsked = ['help', '--help', '-h'].includes(argv[0] ?? '');
    if (isAsked) process.stdout.write(`${overviewOf(commands)}\n`);
    else terminal.note(`${unknown(argv)}${overviewOf(commands)}`);
    return isAsked ? DONE : USAGE;
  }
  const { command, rest } = chosen;
  try {
    const args = parseArguments(rest, { ...command.options, ...GLOBAL }, command.mostWords ?? 0);
    if (args.has('help')) {
      process.stdout.write(`${helpOf(command)}\n`);
      return DONE;
    }
    const login = () => loginOf(args, env);
    const connect = async (): Promise<Mayfly> => createClient(await login());
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

function unknown(argv: string[]): string {
  return argv.length === 0 ? '' : `No such command: "${argv.slice(0, 2).join(' ')}".\n\n`;
}

/**
 * Options come first, then the environment, then the profile. @throws {UsageError} without a token.
 */
async function loginOf(args: Arguments, env: NodeJS.ProcessEnv): Promise<Profile> {
  const given = {
    url: args.text('url') ?? env['MAYFLY_URL'],
    token: args.text('token') ?? env['MAYFLY_TOKEN'],
  };
  const profile = given.url && given.token ? null : await readProfile(env);
  const url = given.url ?? profile?.url ?? 'http://localhost:3000';
  // A token is for the service that it was stored with.
  const token =
    given.token ?? (profile && sameOrigin(url, profile.url) ? profile.token : undefined);
  if (!token) throw new UsageError(`No token for ${url}. Set MAYFLY_TOKEN, or run "mayfly login".`);
  if (!URL.canParse(url)) throw new UsageError(`"${url}" is not a URL.`);
  return { url, token };
}

function sameOrigin(one: string, other: string): boolean {
  return URL.canParse(one) && URL.canParse(other) && new URL(one).origin === new URL(other).origin;
}

function report(terminal: Terminal, { name }: Command, error: unknown): void {
  const message = error instanceof Error ? error.message : String(error);
  if (terminal.isJson && !(error instanceof UsageError)) {
    terminal.note(JSON.stringify({ error: message, ...detailsOf(error) }));
    return;
  }
  const advice = error instanceof UsageError ? `\nRun "mayfly ${name} --help".` : '';
  const code = error instanceof MayflyError ? ` (${error.code})` : '';
  terminal.note(`mayfly: ${message}${code}${advice}`);
}

function detailsOf(error: unknown): object {
  if (error instanceof MayflyTimeout) return { code: 'timeout', nearest: error.nearest };
  if (error instanceof MayflyError) {
    const { code, status, requestId, details } = error;
    return { code, status, requestId, details };
  }
  return { code: error instanceof Error ? error.name : 'unknown' };
}
