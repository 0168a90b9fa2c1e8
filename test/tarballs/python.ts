/**
 * The Python package, installed by pip: its tests, and the tests of its pages
 * 'packages/python/README.md' and 'docs/python.md'.
 */
import { cp, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { ROOT } from '../../core/root.ts';
import { codeOf } from '../support/docs/pages.ts';
import { type Machine, mustEqual } from './machine.ts';

const PACKAGE = join(ROOT, 'packages/python');

/** Prints what is missing to build the package without a registry. */
const MISSING = `
from importlib.metadata import distributions
there = {one.metadata["Name"]: one.version for one in distributions()}
setuptools = [int(part) for part in there.get("setuptools", "0").split(".")[:2]]
missing = ["setuptools 61"] if setuptools < [61] else []
missing += [name for name in ("pip", "wheel") if name not in there]
if setuptools >= [70, 1] and "wheel" in missing:
    missing.remove("wheel")
print(", ".join(missing))
`;

/** How pytest finds the plug-in, and what type checkers need. */
const INSTALLED = `
from importlib.metadata import distribution
import mayfly_mail
made = distribution("mayfly-mail")
for entry in made.entry_points:
    print(entry.group, entry.name, entry.value)
print(*[file for file in made.files if file.name == "py.typed"])
print(mayfly_mail.__file__)
`;

export async function checkPython(machine: Machine): Promise<void> {
  machine.env['PYTHONDONTWRITEBYTECODE'] = '1';
  const plugin = (await install(machine)) ? [] : ['-p', 'mayfly_mail.pytest_plugin'];
  const sample = join(machine.folder, 'test_sample.py');
  const code = [
    codeOf('packages/python/README.md', 'python', 'def test_signs_in'),
    codeOf('docs/python.md', 'python', 'def test_signs_in'),
    codeOf('docs/python.md', 'python', 'mail_snapshot'),
  ];
  await writeFile(sample, code.join('\n'));
  // In CI, no snapshot is written without the option.
  const options = ['-p', 'no:cacheprovider', '--mail-snapshot-update'];
  const args = ['-m', 'pytest', '-q', ...plugin, ...options];
  const tests = join(PACKAGE, 'tests');
  const withPackage = machine.with({ ...machine.env, MAYFLY_PACKAGE: ROOT });
  const output = await withPackage.run(machine.folder, 'python3', ...args, tests, sample);
  process.stdout.write(`mayfly-mail: ${output.trim().split('\n').at(-1) ?? ''}\n`);
}

/**
 * Installs the package into an empty folder, which Python then looks into; if this machine cannot,
 * Python looks into the sources. @returns whether the package is installed.
 */
async function install({ folder, env, run }: Machine): Promise<boolean> {
  const missing = (await run(folder, 'python3', '-c', MISSING)).trim();
  if (missing !== '') {
    env['PYTHONPATH'] = join(PACKAGE, 'src');
    process.stdout.write(`mayfly-mail is not installed for its tests: Python has no ${missing}\n`);
    return false;
  }
  // The build writes beside the sources.
  const sources = join(folder, 'mayfly-mail');
  await cp(PACKAGE, sources, { recursive: true });
  const site = join(folder, 'site-packages');
  const offline = ['--no-index', '--no-build-isolation', '--no-deps'];
  await run(folder, 'python3', '-m', 'pip', 'install', ...offline, '--target', site, sources);
  env['PYTHONPATH'] = site;
  const lines = [
    'pytest11 mayfly mayfly_mail.pytest_plugin',
    'mayfly_mail/py.typed',
    join(site, 'mayfly_mail/__init__.py'),
  ];
  const told = await run(folder, 'python3', '-c', INSTALLED);
  mustEqual(told, `${lines.join('\n')}\n`, 'the installed Python package');
  return true;
}
