/** `scripts/check --all`: phrases and wide comments that a reader has to read twice. */
import { faultsOfTexts } from './phrases.ts';

const faults = await faultsOfTexts('.');
for (const fault of faults) process.stderr.write(`${fault}\n`);
process.exitCode = faults.length > 0 ? 1 : 0;
