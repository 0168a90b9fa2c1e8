import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { join } from 'node:path';
import { expect } from 'chai';
import { ROOT } from '../../core/root.ts';
import { codeOf } from '../support/docs/pages.ts';
import { follow, isThere } from '../support/process/programs.ts';
import { FORWARDED, INNER } from '../support/mail/forwarded-mail.ts';
import { service } from '../support/service.ts';

/** `test/long packages` has the tests of the package itself. */
const OUTPUTS = {
  'packages/python/README.md': '482913\n731904\n',
  'docs/python.md': '482913\n731904\nYour sign-in code\n',
};

describe('the programs for Python', () => {
  before(function () {
    if (!isThere('python3')) this.skip();
  });
  const test = service({ env: { RATE_LIMIT_PRO: '0' }, once: true });

  const run = async (program: string) => {
    const env = {
      PATH: process.env.PATH,
      PYTHONPATH: join(ROOT, 'packages/python/src'),
      PYTHONDONTWRITEBYTECODE: '1',
      ...(await test.clientEnv()),
    };
    const { output, exited } = follow(spawn('python3', ['-c', program], { env }));
    await exited;
    return output();
  };

  for (const [path, expected] of Object.entries(OUTPUTS)) {
    it(`run in ${path}`, async () => {
      expect(await run(codeOf(path, 'python', 'print('))).to.equal(expected);
    });
  }

  it('wait in all mailboxes', async () => {
    const program = `
from mayfly_mail import Mayfly, MayflyError, MayflyTimeout, UnexpectedMessage
mayfly = Mayfly()
mark = mayfly.mark()
mayfly.expect_none(mark=mark, within=0)
inbox = mayfly.mailboxes.create(name="anywhere")
inbox.send(to=[inbox.address], subject="Your code", text="Your verification code is 482913.")
print(mayfly.wait(mark=mark)["mailbox"], mayfly.wait_for_code(mark=mark))
for work in (
    lambda: mayfly.expect_none(mark=mark, within=0),
    lambda: mayfly.wait(mark=mark, subject="Refund", timeout=0),
    lambda: inbox.wait(mark=mark, timeout=0),
):
    try:
        work()
    except (UnexpectedMessage, MayflyTimeout, MayflyError) as error:
        print(error)
`;
    const printed = (await run(program)).replace(/msg_\w+/g, 'ID').split('\n');
    expect(printed.slice(0, 3)).to.deep.equal([
      'anywhere 482913',
      'Expected no message in any mailbox, but ID \'Your code\' from anywhere@one.test is in "anywhere".',
      '1 message in all mailboxes',
    ]);
    expect(printed).to.include('  ID "Your code" in "anywhere" fails: subject');
    expect(printed.at(-2)).to.include('is a mark of the workspace, not of a mailbox');
  });

  it('read the parts, attachments and enclosed mail of a message', async () => {
    const program = `
from mayfly_mail import Mayfly
inbox = Mayfly().mailboxes.create()
message_id = inbox.store(${JSON.stringify(FORWARDED)})["messageId"]
[tree, inner] = [inbox.parts(message_id)["root"], inbox.enclosed(message_id, "2")]
print([part["section"] for part in tree["parts"]], tree["parts"][1]["parts"][0]["type"])
print(inbox.part(message_id, "2.1"), inner["subject"], inner["from"])
[one] = inbox.attachments(message_id)
print(one["disposition"], one["isInline"], one["description"], one["sha256"])
`;
    expect((await run(program)).split('\n')).to.deep.equal([
      "['1', '2'] text/plain",
      "b'Thanks.' Inner ann@else.test",
      `attachment False the order ${createHash('sha256').update(INNER).digest('hex')}`,
      '',
    ]);
  });

  it('list more mailboxes than a page has', async () => {
    const labels = { run: 'paged' };
    await test.api.post('/api/mailboxes/batch').send({ count: 100, labels }).expect(201);
    await test.api.post('/api/mailboxes').send({ labels }).expect(201);
    const program = `
from mayfly_mail import Mayfly
print(len({inbox.name for inbox in Mayfly().mailboxes.list(labels={"run": "paged"})}))
`;
    expect(await run(program)).to.equal('101\n');
  });
});
