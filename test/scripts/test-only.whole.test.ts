import { spawnSync } from 'node:child_process';
import { chmod, copyFile, mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { expect } from 'chai';
import { ROOT } from '../../core/root.ts';
import { tempDir } from '../support/context/temp-dir.ts';

const TEXTS: Record<string, string> = {
  'test/core/plain.test.ts': '',
  'test/core/deep/other.both.test.ts': '',
  'test/db/store.postgres.test.ts': '',
  'test/claims/client.test.ts': "import { connect } from '@mayfly/client';",
  'test/dashboard/page.test.ts': '',
  'test/api/reference.test.ts': "import { openPage } from '../support/browser/page.ts';",
  'test/packages/command.test.ts': '',
  'test/e2e/up.whole.test.ts': '',
};

describe('npm run test:only', () => {
  const dir = tempDir('each');

  const write = async (file: string, text: string, mode = 0o644) => {
    const path = join(dir.path, file);
    await mkdir(dirname(path), { recursive: true });
    await writeFile(path, text);
    await chmod(path, mode);
  };
  /** Says its name and arguments. Fails if an argument is `--broken`. */
  const standIn = (file: string, name: string) =>
    write(
      file,
      `#!/bin/sh\necho "${name} $*"\ncase " $* " in *" --broken "*) exit 3 ;; esac\n`,
      0o755,
    );

  beforeEach(async () => {
    await mkdir(join(dir.path, 'scripts'));
    for (const script of ['test-only', 'use-node', 'use-memory']) {
      await copyFile(join(ROOT, 'scripts', script), join(dir.path, 'scripts', script));
    }
    await standIn('scripts/build', 'build');
    await standIn('.node/default/bin/node', 'fetched node');
    await standIn('node_modules/.bin/mocha', 'mocha');
    for (const [file, text] of Object.entries(TEXTS)) await write(file, text);
  });

  const testOnly = (...args: string[]) => {
    const { status, stdout } = spawnSync(join(dir.path, 'scripts/test-only'), args, {
      encoding: 'utf8',
    });
    return { status, ran: stdout.split('\n').filter((line) => line && !line.startsWith('==')) };
  };

  for (const [steps, files] of Object.entries({
    contract: ['test/core/plain.test.ts', 'test/core/*/*.test.ts'],
    'contract client': ['test/claims/client.test.ts', 'test/claims/**/*.test.ts'],
    'contract dashboard reference': [
      ...['test/dashboard/page.test.ts', 'test/dashboard/*.test.ts', 'test/api/reference.test.ts'],
    ],
    '--packages': ['test/packages/command.test.ts', 'test/e2e/up.whole.test.ts'],
  })) {
    for (const file of files) {
      it(`builds ${steps} for ${file}`, () => {
        const ran = [`build ${steps}`, `mocha --fail-zero ${file} -g word`];
        expect(testOnly(file, '-g', 'word')).to.deep.equal({ status: 0, ran });
      });
    }
  }

  const BOTH = 'test/core/deep/other.both.test.ts';
  const mocha = `mocha --fail-zero ${BOTH}`;
  const onPostgres = `fetched node test/support/servers/with-postgres.ts node_modules/.bin/${mocha}`;

  it('runs them on PostgreSQL, and on both databases, with the Node.js that was fetched', () => {
    const build = 'build contract';
    expect(testOnly('--postgres', BOTH).ran).to.deep.equal([build, onPostgres]);
    expect(testOnly('--both', BOTH).ran).to.deep.equal([build, mocha, onPostgres]);
    expect(testOnly(BOTH).ran).to.deep.equal([build, mocha]);
  });

  it('runs files that need PostgreSQL there', () => {
    const file = 'test/db/store.postgres.test.ts';
    expect(testOnly(file).ran[1]).to.equal(onPostgres.replace(BOTH, file));
    expect(testOnly(file, BOTH).ran[1]).to.equal(`mocha --fail-zero ${file} ${BOTH}`);
  });

  it('runs them on the second database if they fail on the first', () => {
    const { status, ran } = testOnly('--both', BOTH, '--broken');
    expect(status).to.equal(3);
    expect(ran).to.have.length(3);
  });

  it('needs a file', () => {
    expect(testOnly('-g', 'word')).to.deep.equal({ status: 2, ran: [] });
  });
});
