import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { expect } from 'chai';

/**
 * Opens the blob store of these variables in a separate process; prints whether the AWS SDK is
 * loaded.
 */
const PROGRAM = `
  const { readConfig } = await import('./core/config/config.ts');
  const { openBlobs } = await import('./core/blobs/disk.ts');
  await openBlobs(readConfig(process.env, 'smtp'));
  const { createRequire } = await import('node:module');
  const loaded = Object.keys(createRequire(import.meta.url).cache);
  console.log(loaded.some((path) => path.includes('@aws-sdk')));`;

const open = (env: Record<string, string>) =>
  promisify(execFile)(process.execPath, ['--input-type=module', '-e', PROGRAM], { env });

describe('opening the blob store', () => {
  it('does not load the AWS SDK for blobs on disk', async () => {
    expect(await open({})).to.deep.equal({ stdout: 'false\n', stderr: '' });
  });

  it('loads it for a bucket, without its notices in the log', async () => {
    const env = { S3_BUCKET: 'mail', S3_REGION: 'eu-west-1' };
    expect(await open(env)).to.deep.equal({ stdout: 'true\n', stderr: '' });
  });
});
