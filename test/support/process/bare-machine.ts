/**
 * A machine for scripts/install: a separate PATH with the usual tools of the shell and Node.js, and
 * stand-ins for npm and apt-get that record their calls.
 */
import { spawnSync } from 'node:child_process';
import {
  chmod,
  copyFile,
  cp,
  mkdir,
  readFile,
  readlink,
  symlink,
  writeFile,
} from 'node:fs/promises';
import { join } from 'node:path';
import { ROOT } from '../../../core/root.ts';
import { findProgram } from '../../../scripts/supervise/find-program.ts';
import { makeTempDir } from '../context/temp-dir.ts';

const SCRIPTS = join(ROOT, 'scripts/');
const TOOLS = 'cat chmod cksum cp date dirname grep ln ls mkdir mktemp rm sh tail uname'.split(' ');

/** A Node.js that fails each version check. */
const OLD_NODE = `#!/bin/sh
case $1 in
  -v) echo v20.20.2 ;;
  *) exit 1 ;;
esac
`;

/**
 * `npm ci` in the checkout runs the commands of the test. In a folder of .node it installs the
 * required Node.js.
 */
const npm = (commands: string) => `#!/bin/sh
echo "npm $*" >>"$CALLS"
case $PWD in
  */.node/*)
    mkdir -p node_modules/node-any/bin
    ln -s "$FITTING_NODE" node_modules/node-any/bin/node ;;
  *)
    mkdir -p node_modules/.bin
    ${commands || ':'} ;;
esac
`;

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
  /** The shell commands that `npm ci` runs in the checkout. */
  npm?: string;
  /** Whether the Node.js of the machine is too old. */
  oldNode?: boolean;
  /** Whether scripts/install runs a second time, from a script of npm on the fetched Node.js. */
  again?: boolean;
  /** Variables in addition to PATH. */
  env?: Record<string, string>;
}

/** What `npm run` puts first on PATH there. The first folder has a link to the second. */
const fetched = ['node_modules/.bin', '.node/default/bin'];

export interface Installation {
  status: number | null;
  output: string;
  /** How npm and apt-get were called, in order. */
  calls: string[];
  /** Targets of these symbolic links of the checkout; null if a link does not exist. */
  links: Record<string, string | null>;
}

const LINKS = ['.node/default', 'node_modules/.bin/node'];

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
    for (const folder of ['bin', 'scripts']) await mkdir(join(dir.path, folder));
    if (machine.oldNode) await addProgram('node', OLD_NODE);
    else await symlink(process.execPath, join(bin, 'node'));
    for (const tool of TOOLS) {
      await symlink(findProgram(process.env.PATH ?? '', [tool]) ?? tool, join(bin, tool));
    }
    await addProgram('npm', npm(machine.npm ?? ''));
    await addProgram('apt-get', APT_GET);
    await addProgram('sleep', '#!/bin/sh\n');
    await addProgram('id', `#!/bin/sh\necho ${machine.root ? 0 : 1000}\n`);
    await writeFile(join(dir.path, 'package-lock.json'), '{}');
    await copyFile(`${SCRIPTS}install`, join(dir.path, 'scripts/install'));
    await cp(`${SCRIPTS}node-versions`, join(dir.path, 'scripts/node-versions'), {
      recursive: true,
    });

    const given = { PATH: bin, BIN: bin, CALLS: calls, FITTING_NODE: process.execPath };
    const install = (PATH: string) =>
      spawnSync(join(dir.path, 'scripts/install'), args, {
        env: { ...given, PATH, ...machine.env },
        encoding: 'utf8',
        timeout: 60_000,
      });
    if (machine.again) install(bin);
    const { status, stdout, stderr } = install(
      machine.again ? [...fetched.map((folder) => join(dir.path, folder)), bin].join(':') : bin,
    );
    const called = await readFile(calls, 'utf8').catch(() => '');
    const links: Installation['links'] = {};
    for (const link of LINKS) {
      links[link] = await readlink(join(dir.path, link)).catch(() => null);
    }
    return {
      status,
      output: stdout + stderr,
      calls: called.split('\n').filter(Boolean),
      links,
    };
  } finally {
    await dir.remove();
  }
}
