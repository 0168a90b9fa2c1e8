import { X509Certificate, createPrivateKey } from 'node:crypto';
import { expect } from 'chai';
import { readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import {
  certificateFingerprint,
  ensureSelfSigned,
  makeSelfSigned,
} from '../../../core/tls/self-signed.ts';
import { makeTempDir } from '../../support/context/temp-dir.ts';

describe('a self-signed certificate', () => {
  for (const year of [2026, 2045]) {
    it(`created in ${year} is valid for its names for ten years`, () => {
      const now = new Date(Date.UTC(year, 0, 15));
      const { cert, key } = makeSelfSigned(['mx.acme.test', 'localhost', '127.0.0.1', '::1'], now);
      const read = new X509Certificate(cert);
      expect(read.subject).to.equal('CN=mx.acme.test');
      expect(read.verify(read.publicKey)).to.equal(true);
      expect(read.checkPrivateKey(createPrivateKey(key))).to.equal(true);
      expect(read.checkHost('localhost')).to.equal('localhost');
      for (const ip of ['127.0.0.1', '::1']) expect(read.checkIP(ip)).to.equal(ip);
      expect(Date.parse(read.validFrom)).to.equal(now.getTime() - 86_400_000);
      expect(new Date(read.validTo).getUTCFullYear()).to.equal(year + 10);
    });
  }

  it('is created once in its folder, and again if it was removed', async () => {
    const dir = await makeTempDir();
    const certFile = join(dir.path, 'tls', 'cert.pem');
    const files = { certFile, keyFile: join(dir.path, 'tls', 'key.pem'), isSelfSigned: true };
    expect(certificateFingerprint(certFile)).to.equal(null);
    ensureSelfSigned(files, 'mx.acme.test');
    const first = certificateFingerprint(certFile);
    ensureSelfSigned(files, 'mx.acme.test');
    expect(certificateFingerprint(certFile)).to.equal(first);
    expect(readFileSync(certFile, 'utf8')).not.to.contain('PRIVATE');
    rmSync(join(dir.path, 'tls'), { recursive: true });
    ensureSelfSigned(files, 'mx.acme.test');
    expect(certificateFingerprint(certFile)).not.to.equal(first);
    await dir.remove();
  });
});
