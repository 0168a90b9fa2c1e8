/** The contract of the blob store; every implementation runs it. */
import { expect } from 'chai';
import { type BlobStore, readBlob } from '../../core/blobs.js';

/** Runs the suite on stores that `open` makes, each empty and removed after its test. */
export function blobSuite(
  open: () => Promise<{ blobs: BlobStore; remove: () => Promise<void> }>,
): void {
  let blobs: BlobStore;
  let remove: () => Promise<void>;

  beforeEach(async () => {
    ({ blobs, remove } = await open());
  });
  afterEach(() => remove());

  it('gives back what was put, with its size', async () => {
    const bytes = Buffer.from(Array.from({ length: 300_000 }, (_, n) => n % 251));
    await blobs.put('raw/2026-01-01/ing_1', bytes);
    const blob = await blobs.get('raw/2026-01-01/ing_1');
    expect(blob?.size).to.equal(bytes.length);
    blob?.stream.destroy();
    expect((await readBlob(blobs, 'raw/2026-01-01/ing_1'))?.equals(bytes)).to.equal(true);
  });

  it('joins chunks, and replaces what was there', async () => {
    await blobs.put('a', Buffer.from('old and longer'));
    await blobs.put('a', [Buffer.from('n'), Buffer.from('ew')]);
    expect(String(await readBlob(blobs, 'a'))).to.equal('new');
  });

  it('keeps an empty blob', async () => {
    await blobs.put('empty', Buffer.alloc(0));
    expect(await readBlob(blobs, 'empty')).to.have.length(0);
  });

  it('knows nothing of a key that is not there', async () => {
    expect(await blobs.get('none/such')).to.equal(null);
    await blobs.delete('none/such');
  });

  it('deletes', async () => {
    await blobs.put('gone', Buffer.from('x'));
    await blobs.delete('gone');
    expect(await blobs.get('gone')).to.equal(null);
  });

  it('answers its check', async () => {
    await blobs.check();
  });
}
