import { spawn } from 'node:child_process';
import { chmod, mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'chai';
import { type TempDir, makeTempDir } from '../support/context/temp-dir.ts';
import { MAYFLY, runCommand } from '../support/process/command.ts';
import { follow, isThere } from '../support/process/programs.ts';
import { service } from '../support/service.ts';

/**
 * Types lines into an interactive zsh, and prints what it shows. In it, `mayfly` prints its
 * arguments, except when the completion asks for mailboxes.
 */
const TYPING = `
zmodload zsh/zpty
zpty shell zsh -f -i
zpty -w shell 'mayfly() { [[ $1$2 = mailboxlist ]] && command mayfly "$@" || print "ran $*." }'
for line in "$@"; do zpty -w shell "$line"; done
zpty -w shell 'print end""ed.'
while zpty -r shell shown; do print -rn -- "$shown"; [[ $shown = *ended.* ]] && break; done
zpty -d shell
`;
const GIVES_UP_MS = 60_000;

describe('the completion of the command mayfly', () => {
  const test = service({ env: { RATE_LIMIT_PRO: '0' }, once: true });
  let dir: TempDir;
  let env: NodeJS.ProcessEnv;
  let bash = '';

  before(async () => {
    dir = await makeTempDir();
    const bin = join(dir.path, 'bin');
    await mkdir(bin);
    const command = join(bin, 'mayfly');
    await writeFile(command, `#!/bin/sh\nexec "${process.execPath}" "${MAYFLY}" "$@"\n`);
    await chmod(command, 0o755);
    env = { ...(await test.clientEnv()), PATH: `${bin}:${process.env['PATH']}`, TERM: 'dumb' };
    bash = (await runCommand(['completion', 'bash'], env)).stdout;
    await runCommand(['mailbox', 'create', 'tab-one'], env);
    await runCommand(['mailbox', 'create', 'tab-two'], env);
  });
  after(() => dir.remove());

  /** The output of a shell, which asks the service of this process. */
  const shown = async (shell: string, ...args: string[]) => {
    const stdio: ['ignore', 'pipe', 'pipe'] = ['ignore', 'pipe', 'pipe'];
    const { output, exited } = follow(spawn(shell, args, { env, stdio, timeout: GIVES_UP_MS }));
    await exited;
    return output();
  };

  const inBash = async (...words: string[]) => {
    const line = `COMP_WORDS=(${words.map((word) => `'${word}'`).join(' ')}); COMP_CWORD=${words.length - 1}`;
    return (await shown('bash', '-c', `${bash}\n${line}; _mayfly; echo "\${COMPREPLY[@]}"`)).trim();
  };

  it('has commands and options in bash', async () => {
    expect(await inBash('mayfly', 'c')).to.equal('code claim clear completion');
    expect(await inBash('mayfly', 'release', 'msg_1', '--cl')).to.equal('--claim');
    expect(await inBash('mayfly', 'mailbox', '')).to.equal('create list delete');
    expect(await inBash('mayfly', 'mailbox', 'create', '--exp')).to.equal('--expires-in');
    expect(await inBash('mayfly', 'code', '-m', 'hello', '--su')).to.equal('--subject');
    expect(await inBash('mayfly', 'reply', '-m', 'hello', '--f')).to.equal('--forward');
    expect(await inBash('mayfly', 'link', '--kind', 're')).to.equal('reset');
    const format = ['smtp', 'create', '-m', 'hello', '--format', 'r'];
    expect(await inBash('mayfly', ...format)).to.equal('rails');
  });

  it('has names of mailboxes in bash', async () => {
    for (const before of ['code -m', 'wait --subject x --mailbox', 'mailbox delete'])
      expect(await inBash('mayfly', ...before.split(' '), 'tab-'), before).to.equal(
        'tab-two tab-one',
      );
    // Bash splits a word at "=".
    expect(await inBash('mayfly', 'code', '--mailbox', '=', 'tab-')).to.equal('tab-two tab-one');
    expect(await inBash('mayfly', 'link', '--kind', '=', 're')).to.equal('reset');
  });

  /** What `mayfly` ran with, for lines that are typed after a set-up. */
  const inZsh = async (setUp: string, ...lines: string[]) => {
    const typed = [`autoload -U compinit; ${setUp}`, ...lines.map((line) => `mayfly ${line}`)];
    const output = await shown('zsh', '-fc', TYPING, 'zsh', ...typed);
    return [...output.matchAll(/^ran (.*)\.\r?$/gm)].map(([, words]) => words);
  };

  it('has commands, options and names of mailboxes in zsh', async function () {
    if (!isThere('zsh')) this.skip();
    const { stdout } = await runCommand(['completion', 'zsh'], env);
    await writeFile(join(dir.path, '_mayfly'), stdout);
    const lines = ['mailbox cr\t', 'code -m tab-o\t', 'repl\t--al\t', 'link --kind ver\t'];
    // The first completion of a shell loads the file.
    const ran = await inZsh(`fpath=('${dir.path}' $fpath); compinit -u -D`, ...lines);
    expect(ran).to.deep.equal([
      'mailbox create',
      'code -m tab-one',
      'reply --all',
      'link --kind verify',
    ]);
  });

  it('is there in zsh by eval', async function () {
    if (!isThere('zsh')) this.skip();
    const setUp = 'compinit -u -D; eval "$(command mayfly completion zsh)"';
    expect(await inZsh(setUp, 'mailbox cr\t')).to.deep.equal(['mailbox create']);
  });
});
