import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { openDiskBlobs } from '../../core/blobs-disk.js';
import { blobSuite } from './blob-suite.js';

async function openFresh() {
  const root = await mkdtemp(join(tmpdir(), 'mayfly-blobs-'));
  return {
    root,
    blobs: openDiskBlobs(join(root, 'blobs')),
    remove: () => rm(root, { recursive: true }),
  };
}

describe('blobs on disk', () => {
  blobSuite(openFresh);

  it('stay inside their folder', async () => {
    const { blobs, remove } = await openFresh();
    for (const key of ['../x', '/etc/passwd', 'a/../b', 'A', '', 'a//b']) {
      const error: unknown = await blobs.put(key, Buffer.from('x')).catch((e: unknown) => e);
      expect(String(error), key).to.contain('not a blob key');
    }
    await remove();
  });

  it('leave no draft behind', async () => {
    const { root, blobs, remove } = await openFresh();
    await blobs.put('day/one', Buffer.from('x'));
    expect(await readdir(join(root, 'blobs', 'day'))).to.deep.equal(['one']);
    await remove();
  });
});
