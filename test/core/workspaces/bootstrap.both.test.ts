import { expect } from 'chai';
import { revokeToken, verifyToken } from '../../../core/auth/tokens.ts';
import { isPassword } from '../../../core/smtp-credentials/passwords.ts';
import { ensureCredential } from '../../../core/smtp-credentials/ensure-credential.ts';
import { listCredentials } from '../../../core/smtp-credentials/smtp-credentials.ts';
import { ensureToken } from '../../../core/workspaces/workspaces.ts';
import { rejectionCodes } from '../../support/mocha/rejection.ts';
import { service } from '../../support/service.ts';

const TOKEN = 'a-token-that-a-CI-job-knows-before';
const OTHER = 'another-token-that-nobody-knows-yet';

describe('the token of BOOTSTRAP_TOKEN', () => {
  const test = service();
  const revokeAll = async () => {
    const { context, caller } = test;
    await revokeToken(context, caller, caller.token.id);
  };

  it('is refused while another token is valid, in any workspace', async () => {
    const { context } = test;
    const ensured = () => ensureToken(context, 'one.test', TOKEN);
    expect(await rejectionCodes([ensured])).to.deep.equal(['invalid_request']);
    expect(await verifyToken(context, TOKEN)).to.equal(null);
    await test.stranger();
    await revokeAll();
    expect(await rejectionCodes([ensured])).to.deep.equal(['invalid_request']);
  });

  it('is made once no token is valid, and is the same from then on', async () => {
    const { context } = test;
    await revokeAll();
    for (let start = 0; start < 2; start += 1) await ensureToken(context, 'one.test', TOKEN);
    const made = await verifyToken(context, TOKEN);
    expect(made?.workspace.domain).to.equal('one.test');
    expect(made?.token).to.include({ role: 'admin', prefix: TOKEN.slice(0, 8) });
    const replaced = () => ensureToken(context, 'one.test', OTHER);
    const elsewhere = () => ensureToken(context, 'none.test', OTHER);
    expect(await rejectionCodes([replaced, elsewhere])).to.deep.equal([
      'invalid_request',
      'not_found',
    ]);
    await revokeToken(context, made!, made!.token.id);
    const again = () => ensureToken(context, 'one.test', TOKEN);
    expect(await rejectionCodes([again])).to.deep.equal(['invalid_request']);
  });
});

describe('the credential of BOOTSTRAP_SMTP_PASSWORD', () => {
  const test = service({ mailboxes: ['box', 'other'] });

  it('is made once, and gets a new password', async () => {
    const { context, caller } = test;
    const hashes: string[] = [];
    for (const password of ['a'.repeat(16), 'a'.repeat(16), 'b'.repeat(16)]) {
      await ensureCredential(context, caller, 'box', password);
      const [row, ...more] = await listCredentials(context, caller, 'box');
      expect(more).to.deep.equal([]);
      expect(row?.username).to.equal('box');
      expect(isPassword(password, row?.passwordHash ?? null)).to.equal(true);
      expect(await context.credentials.find('box')).to.include({
        passwordHash: row?.passwordHash,
      });
      hashes.push(`${row?.id} ${row?.passwordSetAt.getTime()}`);
    }
    expect(hashes[1]).to.equal(hashes[0]);
    expect(hashes[2]?.split(' ')[0]).to.equal(hashes[0]?.split(' ')[0]);
  });

  it('is refused where another mailbox has its user name', async () => {
    const { context, caller } = test;
    const token = await test.stranger();
    const stranger = await verifyToken(context, token);
    await test.api.post('/api/mailboxes', token).send({ name: 'box' }).expect(201);
    await ensureCredential(context, caller, 'box', 'a'.repeat(16));
    const taken = () => ensureCredential(context, stranger!, 'box', 'b'.repeat(16));
    const missing = () => ensureCredential(context, caller, 'none', 'b'.repeat(16));
    expect(await rejectionCodes([taken, missing])).to.deep.equal(['name_taken', 'not_found']);
  });
});
