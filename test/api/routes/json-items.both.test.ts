import { expect } from 'chai';
import { ownBytes } from '../../../core/bounded-cache.ts';
import { jsonItem } from '../../../api/routes/json-items.ts';

describe('objects that are JSON already', () => {
  const text = JSON.stringify({ text: 'ä'.repeat(5000) });

  it('are the same from whole bytes and from parts', () => {
    for (const { json, following } of [
      jsonItem(ownBytes(`,${text}`)),
      jsonItem([Buffer.from(text)]),
    ]) {
      expect(json.toString()).to.equal(text);
      expect(following.toString()).to.equal(`,${text}`);
    }
  });

  it('are in memory once', () => {
    const { json, following } = jsonItem(ownBytes(`,${text}`));
    expect(json.buffer).to.equal(following.buffer);
    expect(json.buffer.byteLength).to.equal(following.length);
  });
});
