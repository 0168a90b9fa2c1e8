import type { Product } from '../support/process/product.ts';

const SAMPLE = /^mayfly_http_requests_total\{([^}]*)\} (\d+)$/gm;

/**
 * The numbers of requests to the API until now, and of those that exceeded the rate limit, from the
 * metrics.
 */
export async function apiRequests(
  { httpPort }: Product,
  password: string,
): Promise<{ all: number; limited: number }> {
  const text = await (
    await fetch(`http://127.0.0.1:${httpPort}/metrics`, {
      headers: { Authorization: `Basic ${btoa(`operator:${password}`)}` },
    })
  ).text();
  let [all, limited] = [0, 0];
  for (const [, labels = '', count] of text.matchAll(SAMPLE)) {
    if (!labels.includes('"/api/')) continue;
    all += Number(count);
    if (labels.includes('"429"')) limited += Number(count);
  }
  return { all, limited };
}
