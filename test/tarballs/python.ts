/**
 * The Python package: its tests, and the tests of its pages 'packages/python/README.md' and
 * 'docs/python.md'.
 */
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { ROOT, codeOf } from '../support/docs/pages.js';
import type { Machine } from './machine.js';

export async function checkPython(machine: Machine): Promise<void> {
  machine.env['PYTHONPATH'] = join(ROOT, 'packages/python/src');
  machine.env['PYTHONDONTWRITEBYTECODE'] = '1';
  const sample = join(machine.folder, 'test_sample.py');
  const samples = ['packages/python/README.md', 'docs/python.md'];
  const code = samples.map((path) => codeOf(path, 'python', 'def test_signs_in'));
  await writeFile(sample, code.join('\n'));
  const tests = join(ROOT, 'packages/python/tests');
  const args = ['-m', 'pytest', '-q', '-p', 'no:cacheprovider', '-p', 'mayfly_mail.pytest_plugin'];
  const output = await machine.run(machine.folder, 'python3', ...args, tests, sample);
  process.stdout.write(`mayfly-mail: ${output.trim().split('\n').at(-1) ?? ''}\n`);
}
