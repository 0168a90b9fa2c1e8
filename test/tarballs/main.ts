/**
 * `npm run test:packages`: the packages as users have them, packed and installed into empty
 * projects outside the repository, on each line of Node.js; their types; the Python package; the
 * commands that install them; and the examples, some of which 'docs/client.md' shows.
 */
import { startProduct } from '../support/process/product.js';
import { makeTempDir } from '../support/context/temp-dir.js';
import { checkCi } from './ci.js';
import { checkCypressTypes, checkPrograms, checkTypes } from './consumers.js';
import { checkReceivers, checkSignUp } from './examples.js';
import { checkInstalls } from './install.js';
import { openMachine } from './machine.js';
import { checkRunnerSamples } from './runner-samples.js';
import { checkPython } from './python.js';
import { packAll } from './tarballs.js';

const dir = await makeTempDir();
const product = await startProduct();
try {
  const machine = await openMachine(product, dir.path);
  const tarballs = await packAll(machine);
  await checkPrograms(machine, tarballs);
  await checkTypes(machine, tarballs);
  await checkCypressTypes(machine, tarballs);
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
