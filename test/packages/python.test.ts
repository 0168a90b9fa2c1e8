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
  'docs/python.md': '482913\n731904\nYour sign-in code\n',
};

describe('the programs for Python', () => {
  before(function () {
    if (!isThere('python3')) this.skip();
  });
  const test = service({ env: { RATE_LIMIT_PRO: '0' }, once: true });

  const run = async (program: string) => {
    const env = {
      PATH: process.env.PATH,
      PYTHONPATH: join(ROOT, 'packages/python/src'),
      PYTHONDONTWRITEBYTECODE: '1',
      ...(await test.clientEnv()),
    };
    const { output, exited } = follow(spawn('python3', ['-c', program], { env }));
    await exited;
    return output();
  };

  for (const [path, expected] of Object.entries(OUTPUTS)) {
    it(`run in ${path}`, async () => {
      expect(await run(codeOf(path, 'python', 'print('))).to.equal(expected);
    });
  }

  it('list more mailboxes than a page has', async () => {
    const labels = { run: 'paged' };
    await test.api.post('/api/mailboxes/batch').send({ count: 100, labels }).expect(201);
    await test.api.post('/api/mailboxes').send({ labels }).expect(201);
    const program = `
from mayfly_mail import Mayfly
print(len({inbox.name for inbox in Mayfly().mailboxes.list(labels={"run": "paged"})}))
`;
    expect(await run(program)).to.equal('101\n');
  });
});
