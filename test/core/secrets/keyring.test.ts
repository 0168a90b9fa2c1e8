import { expect } from 'chai';
import { generateKeyring, keyedHash, parseKeyring } from '../../../core/secrets/keyring.ts';

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
