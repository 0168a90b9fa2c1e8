import { existsSync, readFileSync } from 'node:fs';
import { utimes } from 'node:fs/promises';
import { expect } from 'chai';
import {
  type BuildableProject,
  makeBuildableProject,
} from '../support/process/buildable-project.js';

/** The program of the project. */
const BUNDLED = 'app, contract, mail, openapi: 3, unused';
const EVERY_STEP = ['contract', 'code', 'dashboard', 'reference', 'haraka'];

describe('scripts/build', () => {
  let project: BuildableProject;
  beforeEach(async () => {
    project = await makeBuildableProject();
    expect(project.build()).to.deep.equal({ status: 0, steps: EVERY_STEP });
  });
  afterEach(() => project.remove());

  it('runs no step if only the time of a file has changed', async () => {
    await utimes(project.path('core/mime/parse-mail.ts'), new Date(), new Date());
    expect(project.build()).to.deep.equal({ status: 0, steps: [] });
  });

  for (const [file, steps] of Object.entries({
    'core/mime/parse-mail.ts': ['code'],
    'test/mail.test.ts': [],
    'tsconfig.json': ['code'],
    'api/dashboard/main.tsx': ['dashboard'],
    'haraka-plugin/config/plugins': ['haraka'],
    // The generated types are an input of what is compiled.
    'openapi.yaml': ['contract', 'code', 'dashboard'],
    'package-lock.json': EVERY_STEP,
  })) {
    it(`runs ${steps.join(', ') || 'nothing'} when ${file} has changed`, async () => {
      await project.write(file, 'changed');
      expect(project.build()).to.deep.equal({ status: 0, steps });
      expect(project.build().steps).to.deep.equal([]);
    });
  }

  it('removes the output of a source that was deleted', async () => {
    project.build('--tests');
    expect(existsSync(project.path('dist/core/unused.js'))).to.equal(true);
    await project.delete('core/unused.ts');
    expect(project.build('--tests')).to.deep.equal({ status: 0, steps: ['tests'] });
    expect(existsSync(project.path('dist/core/mime/parse-mail.js'))).to.equal(true);
    expect(existsSync(project.path('dist/core/unused.js'))).to.equal(false);
    expect(existsSync(project.path('dist/core/unused.js.map'))).to.equal(false);
  });

  it('fails with the compiler, and compiles again the next time', async () => {
    await project.write('broken', '');
    await project.write('core/mime/parse-mail.ts', 'type error');
    expect(project.build().status).to.equal(1);
    expect(project.build().status).to.equal(1);
    await project.delete('broken');
    expect(project.build()).to.deep.equal({ status: 0, steps: ['code'] });
  });

  it('compiles again after tsc was run separately and the sources were reverted', async () => {
    await project.write('core/mime/parse-mail.ts', 'tried out');
    expect(project.compile()).to.equal(0);
    await project.write('core/mime/parse-mail.ts', 'mail');
    expect(project.build()).to.deep.equal({ status: 0, steps: ['code'] });
  });

  it('bundles again when the bundler has changed', async () => {
    const bundler = readFileSync(project.path('scripts/bundle.mjs'), 'utf8');
    await project.write('scripts/bundle.mjs', `${bundler}// changed`);
    expect(project.build()).to.deep.equal({ status: 0, steps: ['code'] });
  });

  it('writes a program over the module of the same name', () => {
    expect(readFileSync(project.path('dist/api/app.js'), 'utf8')).to.equal(BUNDLED);
    project.build('--tests');
    expect(readFileSync(project.path('dist/api/app.js'), 'utf8')).to.equal(BUNDLED);
  });

  it('leaves out tests, which --tests adds together with the check of types', () => {
    expect(existsSync(project.path('dist/test'))).to.equal(false);
    expect(project.build('--tests')).to.deep.equal({
      status: 0,
      steps: ['client', 'cli', 'tests', 'dashboard_types'],
    });
    expect(existsSync(project.path('dist/test/mail.test.js'))).to.equal(true);
    expect(project.build('--tests').steps).to.deep.equal([]);
    expect(project.build().steps).to.deep.equal([]);
  });

  it('compiles tests again over what a build without them has written', async () => {
    project.build('--tests');
    await project.write('core/mime/parse-mail.ts', 'tried out');
    expect(project.build().steps).to.deep.equal(['code']);
    await project.write('core/mime/parse-mail.ts', 'mail');
    expect(project.build('--tests').steps).to.deep.equal(['tests']);
    expect(readFileSync(project.path('dist/core/mime/parse-mail.js'), 'utf8')).to.equal('mail');
    expect(readFileSync(project.path('dist/api/app.js'), 'utf8')).to.equal(BUNDLED);
  });

  it('runs a step whose output is missing', async () => {
    await project.delete('dist/dashboard/main.tsx');
    await project.delete('dist/haraka-plugin/config/plugins');
    await project.delete('dist/openapi.json');
    const steps = ['contract', 'dashboard', 'haraka'];
    expect(project.build()).to.deep.equal({ status: 0, steps });
  });
});
