import { type Product, startProduct } from '../../test/support/product.js';
import { type RestClient, restClient } from '../../test/support/rest-client.js';

/** The product under measurement, as its users reach it. */
export interface Target {
  smtpPort: number;
  domain: string;
  rest: RestClient;
  product: Product;
}

/** Starts the product as `up` does, in a folder of its own, for as long as the work lasts. */
export async function onProduct<Result>(
  work: (target: Target) => Promise<Result>,
): Promise<Result> {
  const product = await startProduct({ PLAN_PRO_MAILBOXES: '0' });
  try {
    const { smtpPort, domain, apiUrl, token } = product;
    return await work({ smtpPort, domain, rest: restClient(apiUrl, token ?? ''), product });
  } finally {
    await product.stop();
  }
}
