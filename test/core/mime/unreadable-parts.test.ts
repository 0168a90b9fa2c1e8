import { expect } from 'chai';
import { partContent, partTree } from '../../../core/mime/part-tree.ts';

describe('the parts of a mail whose header is too long', () => {
  const raw = Buffer.from(`X-A: ${'a'.repeat(1024 * 1024)}\r\n\r\nx`);

  it('are none, with the fault', () => {
    const { root, fault } = partTree(raw);
    expect(fault).to.equal('the header is too long');
    expect(root).to.include({ section: null, size: raw.length });
    expect(root.parts).to.deep.equal([]);
  });

  it('are not found', () => {
    expect(partContent(raw, '1')).to.equal(null);
  });
});
