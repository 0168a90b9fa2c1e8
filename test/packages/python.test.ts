import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { expect } from 'chai';
import { ROOT } from '../../core/root.ts';
import { codeOf } from '../support/docs/pages.ts';
import { follow, isThere } from '../support/process/programs.ts';
import { service } from '../support/service.ts';

/** `test/long packages` has the tests of the package itself. */
const OUTPUTS = {
  'packages/python/README.md': '482913\n',
  'docs/python.md': '482913\nYour sign-in code\n',
};

describe('the programs for Python', () => {
  before(function () {
    if (!isThere('python3')) this.skip();
  });
  const test = service({ env: { RATE_LIMIT_PRO: '0' }, once: true });

  for (const [path, expected] of Object.entries(OUTPUTS)) {
    it(`run in ${path}`, async () => {
      const env = {
        PATH: process.env.PATH,
        PYTHONPATH: join(ROOT, 'packages/python/src'),
        PYTHONDONTWRITEBYTECODE: '1',
        ...(await test.clientEnv()),
      };
      const child = spawn('python3', ['-c', codeOf(path, 'python', 'print(')], { env });
      const { output, exited } = follow(child);
      await exited;
      expect(output()).to.equal(expected);
    });
  }
});
