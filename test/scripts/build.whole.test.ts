import { readFileSync } from 'node:fs';
import { utimes } from 'node:fs/promises';
import { expect } from 'chai';
import {
  type BuildableProject,
  makeBuildableProject,
} from '../support/process/buildable-project.ts';

/** The program of the project. */
const BUNDLED = 'app, contract, mail, openapi: 3, unused';
const EVERY_STEP = ['contract', 'contract_types', 'code', 'dashboard', 'reference', 'haraka'];

describe('scripts/build', () => {
  let project: BuildableProject;
  // Each test leaves a project whose product is built.
  before(async () => {
    project = await makeBuildableProject();
    expect(project.build()).to.deep.equal({ status: 0, steps: EVERY_STEP });
  });
  after(() => project.remove());

  it('writes the sources into the program', () => {
    expect(readFileSync(project.path('dist/api/app.js'), 'utf8')).to.equal(BUNDLED);
  });

  it('runs the steps that read a file whose content has changed', async () => {
    await utimes(project.path('core/mime/parse-mail.ts'), new Date(), new Date());
    expect(project.build()).to.deep.equal({ status: 0, steps: [] });
    const bundler = readFileSync(project.path('scripts/bundle.mjs'), 'utf8');
    const readers = {
      'core/mime/parse-mail.ts': ['code'],
      'test/mail.test.ts': [],
      'tsconfig.json': ['code'],
      'scripts/bundle.mjs': ['code'],
      'dashboard/main.tsx': ['dashboard'],
      'haraka-plugin/config/plugins': ['haraka'],
      // The generated types are an input of what is compiled.
      'openapi.yaml': ['contract', 'contract_types', 'code', 'dashboard'],
      'package-lock.json': EVERY_STEP,
    };
    for (const [file, steps] of Object.entries(readers)) {
      await project.write(file, file.endsWith('.mjs') ? `${bundler}// changed` : 'changed');
      expect(project.build(), file).to.deep.equal({ status: 0, steps });
    }
  });

  it('fails with the bundler, and bundles again the next time', async () => {
    await project.write('broken', '');
    await project.write('core/mime/parse-mail.ts', 'type error');
    expect(project.build().status).to.equal(1);
    await project.delete('broken');
    expect(project.build()).to.deep.equal({ status: 0, steps: ['code'] });
  });

  it('adds the packages with --packages', () => {
    expect(project.build('--packages')).to.deep.equal({ status: 0, steps: ['client', 'cli'] });
    expect(project.build('--packages').steps).to.deep.equal([]);
  });

  it('runs only the step that is named, and each step whose output is missing', async () => {
    await project.delete('dist/openapi.json');
    await project.delete('dist/dashboard/main.tsx');
    await project.delete('dist/haraka-plugin/config/plugins');
    expect(project.build('contract')).to.deep.equal({ status: 0, steps: ['contract'] });
    expect(project.build()).to.deep.equal({ status: 0, steps: ['dashboard', 'haraka'] });
  });
});
