import { expect, test } from '@mayfly/client/vitest';
import request from 'supertest';
import { createApp } from './app.js';

const app = createApp(process.env.SMTP_URL);
const post = (path, body) => request(app).post(path).type('form').send(body);

test('signs up with the code of the mail', async ({ inbox }) => {
  await post('/sign-up', { email: inbox.address }).expect(200);
  const code = await inbox.waitForCode({ from: '@shop.example' });
  await post('/confirm', { email: inbox.address, code }).expect(200, /Welcome/);
  await expect(inbox).not.toHaveReceived({ subject: 'Invoice', timeout: 1 });
}, 30_000);

test('takes the code that is sent again', async ({ inbox }) => {
  const email = inbox.address;
  await post('/sign-up', { email }).expect(200);
  await inbox.waitForCode(); // the first mail is there
  const mark = await inbox.mark();
  await post('/send-again', { email }).expect(200);
  const code = await inbox.waitForCode({ mark });
  await post('/confirm', { email, code }).expect(200, /Welcome/);
}, 30_000);

test('has matchers for mailboxes', async ({ inbox }) => {
  await post('/sign-up', { email: inbox.address }).expect(200);
  await expect(inbox).toHaveReceivedCode(/^\d{6}$/, { from: '@shop.example' });
  const message = await inbox.wait({ subject: 'Confirm your address' });
  expect(message).toMatchMailSnapshot();
  await inbox.send({ to: [inbox.address], subject: 'Welcome' });
  await expect(inbox).toHaveReceived({ subject: 'Welcome' });
  const unexpected = expect(inbox).not.toHaveReceived({ subject: 'Welcome', timeout: 1 });
  await expect(unexpected).rejects.toThrow('Expected no message with subject "Welcome"');
}, 30_000);
