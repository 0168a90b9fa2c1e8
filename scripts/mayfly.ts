#!/usr/bin/env node
/**
 * The command of the installed package: runs the service and the commands of its operator. The data
 * folder is DATA_DIR, or `mayfly` in the folder for data of the user (XDG Base Directory).
 */
import { readFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { delimiter, dirname, join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { ROOT, programFile } from '../core/root.ts';

/** The same names as in package.json, and the programs that they run. */
const COMMANDS: Record<string, { program: string; does: string }> = {
  up: { program: 'scripts/supervise/main', does: 'starts everything until Ctrl-C' },
  mcp: { program: 'scripts/mcp/main', does: 'connects an MCP client on stdin and stdout to /mcp' },
  migrate: { program: 'scripts/cli/migrate', does: 'migrates the database' },
  'workspace:create': { program: 'scripts/cli/create-workspace', does: 'creates a workspace' },
  'workspace:list': { program: 'scripts/cli/list-workspaces', does: 'lists workspaces' },
  'workspace:plan': { program: 'scripts/cli/change-plan', does: 'changes the plan of a workspace' },
  'workspace:delete': { program: 'scripts/cli/delete-workspace', does: 'deletes a workspace' },
  'mail:retry': { program: 'scripts/cli/retry-mail', does: 'queues quarantined mail again' },
  'token:create': { program: 'scripts/cli/create-token', does: 'creates a token' },
  'keys:create': { program: 'scripts/cli/create-keys', does: 'prints new secrets' },
  backup: { program: 'scripts/backup/main', does: 'copies database and blobs to a new folder' },
  move: { program: 'scripts/move/main', does: 'copies the data to PostgreSQL and S3' },
};

const WITHOUT_ARGUMENTS = ['up', 'mcp', 'migrate', 'keys:create'];
const OF_THE_CLIENT = [
  ...['mailbox', 'wait', 'code', 'link', 'none', 'mark', 'claim', 'release', 'extend', 'read'],
  ...['list', 'search', 'attachments', 'headers', 'text', 'links', 'store', 'clear'],
  ...['open', 'send', 'reply', 'smtp', 'listen', 'tail', 'login', 'completion'],
];
const OLDEST = [22, 12] as const;

function help(): string {
  const rows = Object.entries(COMMANDS).map(([name, { does }]) => `  ${name.padEnd(18)}${does}`);
  return [
    'usage: mayfly COMMAND [ARGUMENT...]',
    '',
    ...rows,
    '  --version         prints the version',
    '',
    `The data is in ${dataDir()} (DATA_DIR).`,
    '',
  ].join('\n');
}

function version(): string {
  const file = join(ROOT, 'package.json');
  return (JSON.parse(readFileSync(file, 'utf8')) as { version: string }).version;
}

function dataDir(): string {
  const { DATA_DIR, XDG_DATA_HOME: base } = process.env;
  const given = DATA_DIR?.trim();
  if (given) return resolve(given);
  return join(base?.startsWith('/') ? base : join(homedir(), '.local', 'share'), 'mayfly');
}

/** The path of this program as it was started: `mayfly` can be that of @mayfly/cli. */
function startedAs(): string {
  const [, path = 'mayfly'] = process.argv;
  return /^[\w./@+-]+$/.test(path) ? path : `'${path.replaceAll("'", "'\\''")}'`;
}

function isOld(): boolean {
  const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);
  return major < OLDEST[0] || (major === OLDEST[0] && minor < OLDEST[1]);
}

/** Null for a command that can run. */
function faultOf(name: string, args: string[]): string | null {
  if (isOld())
    return `Node.js ${OLDEST.join('.')} or newer is needed. This is ${process.versions.node}.`;
  const [unknown] = WITHOUT_ARGUMENTS.includes(name) ? args.filter((one) => !isHelp(one)) : [];
  return unknown === undefined ? null : `"${name}" takes no arguments, but there is "${unknown}".`;
}

function isHelp(word: string): boolean {
  return word === '--help' || word === '-h';
}

/** The command of packages/cli has the same name. */
function adviceOn(name: string): string {
  return OF_THE_CLIENT.includes(name)
    ? ` It is one of the package @mayfly/cli, which has the commands for mailboxes and messages.`
    : '';
}

/** Nothing more follows: the reader of a pipe can be gone, as in `mayfly --help | head -1`. */
function print(text: string): void {
  process.stdout.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code !== 'EPIPE') throw error;
  });
  process.stdout.write(text);
}

async function main([name = '--help', ...rest]: string[]): Promise<void> {
  if (name === '--version' || rest[0] === '--version') {
    print(`mayfly ${version()}\n`);
    return;
  }
  if (isHelp(name) || name === 'help') {
    print(help());
    return;
  }
  const command = Object.hasOwn(COMMANDS, name) ? COMMANDS[name] : undefined;
  const fault = command ? faultOf(name, rest) : `"${name}" is not a command.${adviceOn(name)}`;
  if (!command || fault !== null) {
    process.stderr.write(`mayfly: ${fault}\n${command ? '' : help()}`);
    process.exitCode = 2;
    return;
  }
  if (WITHOUT_ARGUMENTS.includes(name) && rest.length > 0) {
    print(`usage: mayfly ${name}\n\nThe command ${command.does}.\n`);
    return;
  }
  const place = process.env.DATA_DIR?.trim() ? `DATA_DIR='${dataDir()}' ` : '';
  process.env.MAYFLY_COMMAND = `${place}${startedAs()}`;
  process.env.DATA_DIR = dataDir();
  const readyFile = process.env.READY_FILE?.trim();
  if (readyFile) process.env.READY_FILE = resolve(readyFile);
  // The processes run with the Node.js of this one.
  process.env.PATH = `${dirname(process.execPath)}${delimiter}${process.env.PATH ?? ''}`;
  process.argv = [...process.argv.slice(0, 2), ...rest];
  await import(pathToFileURL(join(ROOT, programFile(command.program))).href);
}

await main(process.argv.slice(2));
