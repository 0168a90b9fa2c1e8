import { expect } from 'chai';
import { largeMailMemory } from '../bench/parts/memory.ts';
import { isLongForm } from '../support/mocha/long-form.ts';
import { startProduct } from '../support/process/product.ts';

const MAILS = isLongForm ? 10 : 4;
/**
 * Limit of all processes together while these mails of 24 MiB arrive at once and are stored: 1 GB.
 */
const ALLOWED_MIB = 1_000_000_000 / 1024 / 1024;

describe('memory', () => {
  it(`stays bounded under ${MAILS} large mails at once`, async () => {
    const product = await startProduct();
    try {
      const { arriving, storing } = await largeMailMemory(product, MAILS);
      expect(arriving.total).to.be.within(1, ALLOWED_MIB);
      expect(storing.total).to.be.within(1, ALLOWED_MIB);
    } finally {
      await product.stop();
    }
  });
});
