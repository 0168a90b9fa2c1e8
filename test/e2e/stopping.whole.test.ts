import { startProduct } from '../support/process/product.ts';
import { stopsInOrder } from './stops-in-order.ts';

describe('the web process on SIGTERM', () => {
  it('completes the request that it serves, ends streams, and closes idle connections', async () => {
    const product = await startProduct({ LOG_LEVEL: 'info' });
    try {
      await stopsInOrder(product, 1);
    } finally {
      await product.stop();
    }
  });
});
