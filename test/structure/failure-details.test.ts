import { spawnSync } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { expect } from 'chai';
import { ROOT } from '../../core/root.ts';
import { tempDir } from '../support/context/temp-dir.ts';

describe('A failed test', () => {
  const dir = tempDir('each');

  it('shows the last response and the log, and one that passes does not', async () => {
    const file = join(dir.path, 'failing.test.mjs');
    const hooks = pathToFileURL(join(ROOT, 'test/support/mocha/failure-details.ts')).href;
    await writeFile(
      file,
      `import { logOfTest, noteResponse } from '${hooks}';
      it('has a response', async () => {
        noteResponse('GET /api/mailboxes/none', { status: 404, text: '{"code":"not_found"}' });
        logOfTest.write('{"level":"error"}\\n');
        throw new Error('expected 404 to equal 200');
      });
      it('has none', () => { throw new Error('other fault'); });
      it('passes', () => { logOfTest.write('logged by one that passes\\n'); });`,
    );
    const { status, stdout } = spawnSync(join(ROOT, 'node_modules/.bin/mocha'), [file], {
      cwd: ROOT,
      encoding: 'utf8',
    });
    expect(status, stdout).to.equal(2);
    expect(stdout).to.include(
      'expected 404 to equal 200\nThe last response, to GET /api/mailboxes/none, was 404: {"code":"not_found"}\n' +
        'The end of the log:\n{"level":"error"}\n',
    );
    expect(stdout.split('The last response')).to.have.length(2);
    expect(stdout).to.not.include('logged by one that passes');
  });
});
