/**
 * The text as UTF-8 in memory of its own, for bytes that are kept. Node puts small buffers into
 * slabs of 8 KiB that they share, and a kept buffer keeps its slab (docs/decisions.md, 10).
 */
export function ownBytes(text: string): Buffer {
  const bytes = Buffer.allocUnsafeSlow(Buffer.byteLength(text));
  bytes.write(text);
  return bytes;
}
