import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { parse } from 'yaml';
import { ROOT } from '../../core/root.ts';
import { page } from '../support/docs/pages.ts';
import { run } from '../support/process/programs.ts';

const read = (path: string) => readFileSync(join(ROOT, path), 'utf8');

describe('the version', () => {
  const { version, engines } = JSON.parse(read('package.json')) as {
    version: string;
    engines: { node: string };
  };

  it('is one in package.json, the lock file, openapi.yaml and --version', () => {
    const lock = JSON.parse(read('package-lock.json')) as { version: string };
    const { info } = parse(read('openapi.yaml')) as { info: { version: string } };
    expect([lock.version, info.version]).to.deep.equal([version, version]);
    for (const name of ['client', 'cli']) {
      expect(JSON.parse(read(`packages/${name}/package.json`)), name).to.include({ version });
    }
    for (const name of ['sign-up', 'webhooks']) {
      const file = `file:vendor/mayfly-client-${version}.tgz`;
      expect(read(`examples/${name}/package.json`), name).to.include(`"@mayfly/client": "${file}"`);
    }
    const python = 'packages/python/src/mayfly_mail/version.py';
    expect(read(python)).to.include(`\nVERSION = "${version}"\n`);
    expect(read('packages/python/pyproject.toml')).to.include(`\nversion = "${version}"\n`);
    expect(run('scripts/up', ['--version'])).to.equal(`mayfly ${version}\n`);
    expect(run('node', ['dist/scripts/mayfly.js', '--version'])).to.equal(`mayfly ${version}\n`);
  });

  it('is the newest release of the changelog', () => {
    const headings = [...page('CHANGELOG.md').text.matchAll(/^## (\S+)/gm)].map(([, name]) => name);
    expect(headings.slice(0, 2)).to.deep.equal(['Unreleased', version]);
  });

  it('of Node.js is the same in package.json and the page of the package', () => {
    const [, needed] = /^>=(\S+)$/.exec(engines.node) ?? [];
    expect(page('docs/package.md').text).to.include(`Node.js ${needed} or newer`);
  });

  it('of Node.js for a checkout is the same in README.md and scripts/install', () => {
    const [, needed] = /Node\.js older than (\d+\.\d+)/.exec(page('README.md').text) ?? [];
    expect(read('scripts/install')).to.include(`If Node.js is older than ${needed},`);
  });
});
