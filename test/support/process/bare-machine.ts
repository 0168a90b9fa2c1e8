/**
 * A machine for scripts/install: a PATH of its own with the shell's usual tools and Node.js, stand-ins for npm and
 * apt-get that write down how they were called, and no compiler.
 */
import { spawnSync } from 'node:child_process';
import { chmod, copyFile, mkdir, readFile, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { findProgram } from '../../../scripts/supervise/find-program.js';
import { makeTempDir } from '../context/temp-dir.js';

const INSTALL = fileURLToPath(new URL('../../../../scripts/install', import.meta.url));
const TOOLS = ['sh', 'dirname', 'cksum', 'cat', 'mktemp', 'tail', 'rm', 'grep', 'ls', 'chmod'];

/** Adds an empty program for each name that follows the options. */
const APT_GET = `#!/bin/sh
echo "apt-get $*" >>"$CALLS"
[ "$1" = install ] || exit 0
shift
for name in "$@"; do
  case $name in -*) continue ;; esac
  printf '#!/bin/sh\\n' >"$BIN/$name"
  chmod 755 "$BIN/$name"
done
`;

export interface Machine {
  /** Whether scripts/install runs as root. */
  root: boolean;
  /** The shell commands that `npm ci` runs. */
  npm: string;
  /** Programs that are there beside the usual ones. */
  programs?: string[];
}

export interface Installation {
  status: number | null;
  output: string;
  /** How npm and apt-get were called, in order. */
  calls: string[];
}

/** Runs scripts/install with these arguments on such a machine, in a project of its own. */
export async function installOn(machine: Machine, ...args: string[]): Promise<Installation> {
  const dir = await makeTempDir();
  const bin = join(dir.path, 'bin');
  const calls = join(dir.path, 'calls');
  const addProgram = async (name: string, text: string) => {
    await writeFile(join(bin, name), text);
    await chmod(join(bin, name), 0o755);
  };
  try {
    for (const folder of ['bin', 'scripts', 'node_modules']) await mkdir(join(dir.path, folder));
    await symlink(process.execPath, join(bin, 'node'));
    for (const tool of TOOLS) {
      await symlink(findProgram(process.env.PATH ?? '', [tool]) ?? tool, join(bin, tool));
    }
    await addProgram('npm', `#!/bin/sh\necho "npm $*" >>"$CALLS"\n${machine.npm}\n`);
    await addProgram('apt-get', APT_GET);
    await addProgram('id', `#!/bin/sh\necho ${machine.root ? 0 : 1000}\n`);
    for (const name of machine.programs ?? []) await addProgram(name, '#!/bin/sh\n');
    await writeFile(join(dir.path, 'package-lock.json'), '{}');
    await copyFile(INSTALL, join(dir.path, 'scripts/install'));

    const env = { PATH: bin, BIN: bin, CALLS: calls };
    const { status, stdout, stderr } = spawnSync(join(dir.path, 'scripts/install'), args, {
      env,
      encoding: 'utf8',
      timeout: 60_000,
    });
    const called = await readFile(calls, 'utf8').catch(() => '');
    return { status, output: stdout + stderr, calls: called.split('\n').filter(Boolean) };
  } finally {
    await dir.remove();
  }
}
