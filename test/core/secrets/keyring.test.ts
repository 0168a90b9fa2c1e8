import { expect } from 'chai';
import {
  generateKeyring,
  keyedHash,
  parseKeyring,
  openSecret,
  sealSecret,
} from '../../../core/secrets/keyring.ts';

describe('keyring', () => {
  const key = (id: string, byte: number) => `${id}:${Buffer.alloc(32, byte).toString('base64')}`;

  it('parses keys, newest first', () => {
    expect(parseKeyring(`${key('new', 1)}, ${key('old', 2)}`).map(({ id }) => id)).to.deep.equal([
      'new',
      'old',
    ]);
  });

  it('generates a keyring that it can parse', () => {
    expect(parseKeyring(generateKeyring())[0].secret).to.have.length(32);
  });

  for (const bad of ['', 'k1', 'k1:abc', `k1:${Buffer.alloc(31).toString('base64')}`, 'a b:c']) {
    it(`rejects ${JSON.stringify(bad)}`, () => {
      expect(() => parseKeyring(bad)).to.throw('32 bytes in base64');
    });
  }

  it('rejects a duplicate key id', () => {
    expect(() => parseKeyring(`${key('k', 1)},${key('k', 2)}`)).to.throw('twice');
  });

  it('hashes differently for each key and purpose', () => {
    const [one, two] = parseKeyring(`${key('a', 1)},${key('b', 2)}`);
    const hashes = [
      keyedHash(one, 'token', 'x'),
      keyedHash(two!, 'token', 'x'),
      keyedHash(one, 'other', 'x'),
    ].map((hash) => hash.toString('hex'));
    expect(new Set(hashes).size).to.equal(3);
    expect(keyedHash(one, 'token', 'x').toString('hex')).to.equal(hashes[0]);
  });
});

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
