/**
 * `test/long packages`: the packages as users have them, packed and installed into empty
 * projects outside the repository, on each line of Node.js; their types; the Python package; the
 * commands that install them; and the examples, some of which 'docs/client.md' shows.
 */
import { startProduct } from '../support/process/product.ts';
import { makeTempDir } from '../support/context/temp-dir.ts';
import { checkCi } from './ci.ts';
import { checkCypressTypes, checkPrograms, checkTypes } from './consumers.ts';
import { checkReceivers, checkRunnerSamples, checkSignUp } from './examples.ts';
import { checkInstalls } from './install.ts';
import { openMachine } from './machine.ts';
import { checkPython } from './python.ts';
import { checkRunners } from './runners.ts';
import { packAll } from './tarballs.ts';

const dir = await makeTempDir();
const product = await startProduct();
try {
  const machine = await openMachine(product, dir.path);
  const tarballs = await packAll(machine);
  await checkPrograms(machine, tarballs);
  await checkTypes(machine, tarballs);
  await checkCypressTypes(machine, tarballs);
  await checkRunners(machine, tarballs);
  await checkPython(machine);
  await checkRunnerSamples();
  await checkInstalls(machine);
  await checkSignUp(machine);
  await checkReceivers(machine);
  await checkCi(machine);
} finally {
  await product.stop();
  await dir.remove();
}
