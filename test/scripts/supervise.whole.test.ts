import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'chai';
import { parseProcfile } from '../../scripts/supervise/procfile.ts';
import { eventually } from '../support/mocha/eventually.ts';
import { launchUp } from '../support/process/product.ts';
import { tempDir } from '../support/context/temp-dir.ts';

describe('Procfile', () => {
  it('has the release command and the processes in order', () => {
    const { release, processes } = parseProcfile(
      '# all of it\nrelease: make  ready\n\nweb: node a.js\r\nsmtp:node b.js --x: y\n',
    );
    expect(release).to.equal('make  ready');
    expect([...processes]).to.deep.equal([
      ['web', 'node a.js'],
      ['smtp', 'node b.js --x: y'],
    ]);
  });

  it('rejects an invalid line', () => {
    expect(() => parseProcfile('web node a.js')).to.throw(
      'invalid line in Procfile: web node a.js',
    );
  });
});

describe('up with another Procfile', () => {
  const folder = tempDir('each');

  const launch = async (procfile: string) => {
    const path = join(folder.path, 'Procfile');
    await writeFile(path, procfile);
    return launchUp({ DATA_DIR: folder.path }, path);
  };

  it('stops if a process exits before it is ready, and prints its error', async () => {
    const up = await launch(
      'web: sleep 60\nworker: sh -c \'echo noise; echo "mayfly: no paper in the tray" >&2; exit 3\'\n',
    );
    expect(await up.exited).to.equal(1);
    expect(up.output()).to.match(/^worker +\| noise$/m);
    expect(up.output()).to.match(/^mayfly: worker failed to start: no paper in the tray$/m);
  });

  it('starts nothing if the release command fails', async () => {
    const up = await launch('release: sh -c "echo no such table; exit 1"\nweb: sleep 60\n');
    expect(await up.exited).to.equal(1);
    expect(up.output()).to.include('mayfly: The release command failed: no such table');
    expect(up.output()).to.not.match(/^web/m);
  });

  it('restarts a process that keeps exiting with growing delays', async () => {
    const dies = `node -e "process.send({ready: 1}); setTimeout(() => process.exit(3), 50)"`;
    const up = await launch(`release: node dist/scripts/cli/migrate.js\nweb: ${dies}\n`);
    try {
      const delays = await eventually('four restarts', () => {
        const found = [
          ...up.output().matchAll(/^web +\| exited \(exit code 3\), restarting in (\d+) ms$/gm),
        ];
        return found.length >= 4 && found.map(([, ms]) => Number(ms));
      });
      expect(delays.slice(0, 4)).to.deep.equal([100, 200, 400, 800]);
    } finally {
      up.child.kill('SIGTERM');
      expect(await up.exited).to.equal(0);
    }
  });

  for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const) {
    it(`can be stopped during startup with ${signal}`, async () => {
      const up = await launch('release: sleep 60\nweb: sleep 60\n');
      await new Promise((resolve) => up.child.stdout?.once('data', resolve));
      up.child.kill(signal);
      expect(await up.exited).to.equal(0);
    });
  }
});
