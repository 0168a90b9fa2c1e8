import { mkdtemp, open, readFile, readdir, readlink, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { type BlobStore, readBlob } from '../../../core/blobs/blob-store.ts';
import { openDiskBlobs } from '../../../core/blobs/disk.ts';
import { rejection, rejectionCodes } from '../../support/mocha/rejection.ts';
import { blobSuite } from './blob-suite.ts';

async function openFresh(pageSize?: number) {
  const root = await mkdtemp(join(tmpdir(), 'mayfly-blobs-'));
  return {
    root,
    blobs: openDiskBlobs(join(root, 'blobs'), pageSize),
    remove: () => rm(root, { recursive: true }),
  };
}

describe('blobs on disk', () => {
  blobSuite(openFresh);

  let root: string;
  let blobs: BlobStore;
  let remove: () => Promise<void>;
  beforeEach(async () => {
    ({ root, blobs, remove } = await openFresh());
  });
  afterEach(() => remove());

  it('stay inside their folder', async () => {
    for (const key of ['../x', '/etc/passwd', 'a/../b', 'A', '', 'a//b']) {
      const error = await rejection(blobs.put(key, Buffer.from('x')));
      expect(String(error), key).to.contain('not a blob key');
    }
  });

  it('leave no draft behind', async () => {
    await blobs.put('day/one', Buffer.from('x'));
    expect(await readdir(join(root, 'blobs', 'day'))).to.deep.equal(['one']);
    expect(await readdir(join(root, 'blobs', 'drafts'))).to.deep.equal([]);
  });

  it('are available as files, and adopt files', async () => {
    expect(await blobs.file?.('day/one')).to.equal(null);
    await blobs.put('day/one', Buffer.from('first'));
    const file = await blobs.file?.('day/one');
    expect(String(await readFile(file?.path ?? ''))).to.equal('first');

    const draft = join(file?.drafts ?? '', 'two');
    await writeFile(draft, 'second');
    const error = await rejection(file!.adopt(draft, '../two'));
    expect(String(error)).to.contain('not a blob key');
    await writeFile(join(root, 'blobs', 'full'), 'in the way');
    expect(await rejectionCodes([async () => file?.adopt(draft, 'full/two')])).to.deep.equal([
      'unavailable',
    ]);
    expect(await readdir(join(root, 'blobs', 'drafts'))).to.deep.equal([]);

    await writeFile(draft, 'second');
    await file?.adopt(draft, 'next-day/two');
    expect(String(await readBlob(blobs, 'next-day/two'))).to.equal('second');
    expect(await readdir(join(root, 'blobs', 'drafts'))).to.deep.equal([]);
  });

  it('report unavailable if their folder is unusable', async () => {
    await blobs.put('day/one', Buffer.from('x'));
    const file = await blobs.file?.('day/one');
    await rm(join(root, 'blobs'), { recursive: true });
    await writeFile(join(root, 'blobs'), 'in the way');
    const codes = await rejectionCodes([
      async () => blobs.file?.('a'),
      async () => file?.adopt(join(root, 'draft'), 'day/two'),
      () => blobs.put('a', Buffer.from('x')),
      () => blobs.get('a'),
      () => blobs.check(),
    ]);
    expect(codes).to.deep.equal(Array(5).fill('unavailable'));
  });

  it('leave no file open if its size cannot be read', async () => {
    await blobs.put('day/one', Buffer.from('x'));
    const openFiles = async () => {
      const fds = await readdir('/proc/self/fd');
      const paths = await Promise.all(
        fds.map((fd) => readlink(`/proc/self/fd/${fd}`).catch(() => '')),
      );
      return paths.filter((path) => path.startsWith(root)).length;
    };
    const handle = await open(root, 'r');
    const prototype = Object.getPrototypeOf(handle) as { stat: unknown };
    await handle.close();
    const { stat } = prototype;
    prototype.stat = () => Promise.reject(new Error('input/output error'));
    try {
      const codes = await rejectionCodes([() => blobs.get('day/one')]);
      expect(codes).to.deep.equal(['unavailable']);
    } finally {
      prototype.stat = stat;
    }
    expect(await openFiles()).to.equal(0);
  });

  it('have no public links', () => {
    expect(blobs.link).to.equal(null);
  });
});
