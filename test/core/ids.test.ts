import { expect } from 'chai';
import { idTime, newId } from '../../core/ids.ts';
import { slugFault } from '../../core/addresses.ts';
import { generateSlug } from '../../core/mailboxes/generate-slug.ts';

describe('ids', () => {
  it('increase within one millisecond', () => {
    const now = Date.now();
    const ids = Array.from({ length: 1000 }, () => newId('message', now));
    expect([...ids].sort()).to.deep.equal(ids);
    expect(new Set(ids).size).to.equal(1000);
  });

  it('contain their time and no reserved character', () => {
    const at = Date.now();
    const id = newId('mailbox', at);
    expect(idTime(id)).to.be.within(at, at + 2000);
    expect(id).to.match(/^mbx_[0-9a-z]{26}$/);
  });
});

describe('ids after the clock was set back', () => {
  it('contain the given time, and increase again', () => {
    const now = Date.now();
    newId('message', now + 3_600_000);
    const ids = [newId('message', now), newId('message', now)];
    expect(ids.map(idTime)).to.deep.equal([now, now]);
    expect([...ids].sort()).to.deep.equal(ids);
  });
});

describe('generated mailbox names', () => {
  it('follow the slug rules and do not repeat', () => {
    const slugs = Array.from({ length: 2000 }, generateSlug);
    expect(new Set(slugs).size).to.equal(2000);
    for (const slug of slugs) expect(slugFault(slug), slug).to.equal(null);
  });
});
