import { expect } from 'chai';
import { DatabaseUnavailable } from '../../db/errors.ts';
import { openGroupCommit } from '../../db/group-commit.ts';

describe('group commit', () => {
  const open = (commit: (items: number[]) => Promise<string[]>, maxItems = 200, maxBytes = 1000) =>
    openGroupCommit({ commit, weigh: (item: number) => item, maxItems, maxBytes });

  it('commits items that are ready together once', async () => {
    const groups: number[][] = [];
    const writer = open(async (items) => {
      groups.push(items);
      return items.map(String);
    });
    expect(await Promise.all([1, 2, 3].map((n) => writer.add(n)))).to.deep.equal(['1', '2', '3']);
    expect(groups).to.deep.equal([[1, 2, 3]]);
  });

  it('ends a group at its limits, and commits an oversized item alone', async () => {
    const groups: number[][] = [];
    const writer = open(
      async (items) => {
        groups.push(items);
        return items.map(String);
      },
      3,
      100,
    );
    await Promise.all([1, 1, 1, 1, 60, 60, 500, 1].map((n) => writer.add(n)));
    expect(groups).to.deep.equal([[1, 1, 1], [1, 60], [60], [500], [1]]);
  });

  it('rejects a whole group at once while the database is unavailable', async () => {
    let commits = 0;
    const writer = open(async () => {
      commits += 1;
      throw new DatabaseUnavailable('busy');
    });
    const settled = await Promise.allSettled([1, 2, 3].map((n) => writer.add(n)));
    expect(settled.map(({ status }) => status)).to.deep.equal(['rejected', 'rejected', 'rejected']);
    expect(commits).to.equal(1);
  });

  it('rejects only the item that made its group fail', async () => {
    const writer = open(async (items) => {
      if (items.includes(13)) throw new Error('unlucky');
      return items.map(String);
    });
    const settled = await Promise.allSettled([12, 13, 14].map((n) => writer.add(n)));
    expect(settled.map(({ status }) => status)).to.deep.equal([
      'fulfilled',
      'rejected',
      'fulfilled',
    ]);
    expect(await writer.add(15)).to.equal('15');
  });
});
