import { join } from 'node:path';
import { expect } from 'chai';
import { ROOT } from '../../core/root.ts';
import { tempDir } from '../support/context/temp-dir.ts';
import { hasPytest, runPytest } from '../support/process/pytest.ts';
import { service } from '../support/service.ts';

const TESTS = join(ROOT, 'packages/python/tests');

/** `server.whole.test.ts` has those of `test_server.py`. */
describe('the package for Python', () => {
  before(function () {
    if (!hasPytest()) this.skip();
  });
  const dir = tempDir('each');
  const test = service({ env: { RATE_LIMIT_PRO: '0' }, once: true });

  it('passes its tests', async () => {
    const args = [TESTS, `--ignore=${join(TESTS, 'test_server.py')}`];
    expect(await runPytest(args, dir.path, await test.clientEnv()))
      .to.match(/\d+ passed/)
      .and.not.include('skipped');
  });
});
