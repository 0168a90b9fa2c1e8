import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { expect } from 'chai';
import { ROOT } from '../../core/root.ts';
import { type TestService, openTestService } from '../support/context/service.ts';
import { codeOf } from '../support/docs/pages.ts';
import { isThere } from '../support/process/programs.ts';

/** `test/long packages` has the tests of the package itself. */
const OUTPUTS = {
  'packages/python/README.md': '482913\n',
  'docs/python.md': '482913\nYour sign-in code\n',
};

describe('the programs for Python', () => {
  let service: TestService;

  before(async function () {
    if (!isThere('python3')) this.skip();
    service = await openTestService();
  });
  after(async () => {
    if (isThere('python3')) await service.close();
  });

  for (const [path, expected] of Object.entries(OUTPUTS)) {
    it(`run in ${path}`, async () => {
      const env = {
        PATH: process.env.PATH,
        PYTHONPATH: join(ROOT, 'packages/python/src'),
        PYTHONDONTWRITEBYTECODE: '1',
        MAYFLY_URL: service.url,
        MAYFLY_TOKEN: service.token,
      };
      const child = spawn('python3', ['-c', codeOf(path, 'python', 'print(')], { env });
      let output = '';
      for (const stream of [child.stdout, child.stderr]) {
        stream.on('data', (chunk: Buffer) => (output += chunk.toString()));
      }
      await once(child, 'close');
      expect(output).to.equal(expected);
    });
  }
});
