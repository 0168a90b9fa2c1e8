/** The contract of the blob store, run for every implementation. */
import { expect } from 'chai';
import { type BlobStore, readBlob } from '../../../core/blobs/blob-store.ts';

/** Runs the suite on stores of `open`, each empty and removed after its test. */
export function blobSuite(
  open: (pageSize?: number) => Promise<{ blobs: BlobStore; remove: () => Promise<void> }>,
): void {
  let blobs: BlobStore;
  let remove: () => Promise<void>;

  beforeEach(async () => {
    ({ blobs, remove } = await open(2));
  });
  afterEach(async () => {
    await blobs.close();
    await remove();
  });
  const keysOlderThan = async (folder: string, time: number) => {
    const pages = [];
    for await (const page of blobs.olderThan(folder, time)) pages.push(page);
    return pages;
  };

  it('returns what was put, with its size', async () => {
    const bytes = Buffer.from(Array.from({ length: 300_000 }, (_, n) => n % 251));
    await blobs.put('raw/2026-01-01/ing_1', bytes);
    const blob = await blobs.get('raw/2026-01-01/ing_1');
    expect(blob?.size).to.equal(bytes.length);
    blob?.stream.destroy();
    expect((await readBlob(blobs, 'raw/2026-01-01/ing_1'))?.equals(bytes)).to.equal(true);
  });

  it('joins chunks, and replaces an existing blob', async () => {
    await blobs.put('a', Buffer.from('old and longer'));
    await blobs.put('a', [Buffer.from('n'), Buffer.from('ew')]);
    expect(String(await readBlob(blobs, 'a'))).to.equal('new');
  });

  it('stores an empty blob', async () => {
    await blobs.put('empty', Buffer.alloc(0));
    expect(await readBlob(blobs, 'empty')).to.have.length(0);
  });

  it('returns null for an absent key', async () => {
    expect(await blobs.get('none/such')).to.equal(null);
    await blobs.delete('none/such');
  });

  it('deletes', async () => {
    await blobs.put('gone', Buffer.from('x'));
    await blobs.delete('gone');
    expect(await blobs.get('gone')).to.equal(null);
  });

  it('streams 4 MiB without holding them in memory', async () => {
    await blobs.put('large', Buffer.alloc(4_194_304, 1));
    const blob = await blobs.get('large');
    expect(blob?.size).to.equal(4_194_304);
    let bytes = 0;
    for await (const chunk of blob!.stream) {
      bytes += (chunk as Buffer).length;
      expect(blob!.stream.readableLength).to.be.below(1_048_576);
    }
    expect(bytes).to.equal(4_194_304);
  });

  it('lists keys older than a time, below one folder, in pages', async () => {
    expect(await keysOlderThan('raw', Date.now() + 60_000)).to.deep.equal([]);
    const keys = ['raw/2026-01-01/ing_1', 'raw/2026-01-01/ing_2', 'raw/2026-01-02/ing_3'];
    for (const key of [...keys, 'rawer/x']) await blobs.put(key, Buffer.from('x'));
    expect(await keysOlderThan('raw', Date.now() - 60_000)).to.deep.equal([]);
    const pages = await keysOlderThan('raw', Date.now() + 60_000);
    expect(pages.flat()).to.have.members(keys);
    expect(pages.map(({ length }) => length)).to.deep.equal([2, 1]);
  });

  it('continues a listing while the listed keys are deleted', async () => {
    for (const n of [1, 2, 3, 4, 5]) await blobs.put(`raw/day/${n}`, Buffer.from('x'));
    for await (const page of blobs.olderThan('raw', Date.now() + 60_000)) {
      for (const key of page) await blobs.delete(key);
    }
    expect(await keysOlderThan('raw', Date.now() + 60_000)).to.deep.equal([]);
  });

  it('passes its check', async () => {
    await blobs.check();
  });
}
