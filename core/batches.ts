interface Limits<Item> {
  maxItems: number;
  maxBytes: number;
  bytesOf: (item: Item) => number;
}

/** Divides items into batches, in order. An item above the limit of bytes is a batch of its own. */
export function* inBatches<Item>(
  items: readonly Item[],
  { maxItems, maxBytes, bytesOf }: Limits<Item>,
): Generator<Item[]> {
  let batch: Item[] = [];
  let bytes = 0;
  for (const item of items) {
    const size = bytesOf(item);
    const isFull = batch.length === maxItems || bytes + size > maxBytes;
    if (isFull && batch.length > 0) {
      yield batch;
      [batch, bytes] = [[], 0];
    }
    batch.push(item);
    bytes += size;
  }
  if (batch.length > 0) yield batch;
}
