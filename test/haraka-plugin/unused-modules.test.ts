import { expect } from 'chai';
import { run } from '../support/process/programs.ts';

/** Runs in a process of its own: modules are replaced for all code of a process. */
function outputOf(code: string): string {
  const script = `
    import { createRequire } from 'node:module';
    import { replaceUnusedModules } from './haraka-plugin/load-haraka.ts';
    const load = createRequire(createRequire(import.meta.url).resolve('Haraka/package.json'));
    const outcome = (work) => { try { work(); } catch (error) { console.log(error.message); } };
    ${code}`;
  return run(process.execPath, ['--input-type=module', '--eval', script]).trim();
}

describe('The modules of Haraka that the service does not use', () => {
  it('throw an error with their name when code uses them', () => {
    const output = outputOf(`
      replaceUnusedModules(load);
      outcome(() => load('./outbound').send_email('a@b.test', 'c@d.test', ''));`);
    expect(output).to.equal(
      'Mayfly replaces the module ./outbound of Haraka, but "send_email" is used. Remove the module ' +
        'from haraka-plugin/load-haraka.ts.',
    );
  });

  it('stop the start if Haraka does not have them', () => {
    const output = outputOf(`
      const resolve = (name) => {
        if (name === 'haraka-net-utils') throw new Error('Cannot find module ' + name);
        return load.resolve(name);
      };
      outcome(() => replaceUnusedModules(Object.assign(() => null, { cache: {}, resolve })));`);
    expect(output).to.equal('Cannot find module haraka-net-utils');
  });
});
