import { expect } from 'chai';
import {
  generateKeyring,
  parseKeyring,
  openSecret,
  sealSecret,
} from '../../../core/secrets/keyring.ts';

describe('sealed secrets', () => {
  const old = generateKeyring().replace(/^[^:]+/, 'old');
  const ring = parseKeyring(old);
  const rotated = parseKeyring(`${generateKeyring()},${old}`);

  it('can be opened for their owner, also after a key rotation', () => {
    const sealed = sealSecret(ring, 'whk_1', 'whsec_abc');
    expect(sealed).not.to.contain('whsec_abc');
    expect(openSecret(ring, 'whk_1', sealed)).to.equal('whsec_abc');
    expect(openSecret(rotated, 'whk_1', sealed)).to.equal('whsec_abc');
    expect(sealSecret(rotated, 'whk_1', 'x').startsWith('old.')).to.equal(false);
  });

  it('cannot be opened for another row, with another keyring, or after a change', () => {
    const sealed = sealSecret(ring, 'whk_1', 'whsec_abc');
    const [id, iv, text, tag] = sealed.split('.') as [string, string, string, string];
    const flipped = Buffer.from(text, 'base64url');
    flipped[0]! ^= 1;
    expect(() => openSecret(ring, 'whk_2', sealed)).to.throw();
    expect(() => openSecret(parseKeyring(generateKeyring()), 'whk_1', sealed)).to.throw('no key');
    expect(() =>
      openSecret(ring, 'whk_1', [id, iv, flipped.toString('base64url'), tag].join('.')),
    ).to.throw();
    expect(() => openSecret(ring, 'whk_1', 'old.x')).to.throw('not a sealed secret');
  });
});
