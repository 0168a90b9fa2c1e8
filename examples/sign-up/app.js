import { randomInt } from 'node:crypto';
import express from 'express';
import { createTransport } from 'nodemailer';

const page = (body) => `<!doctype html><title>Sign up</title>${body}`;
const signUpForm = page(`
  <form method="post" action="/sign-up">
    <label>E-mail <input name="email" type="email" required></label>
    <button>Sign up</button>
  </form>`);
const codeForm = (email, notice) =>
  page(`
  <p>${notice}</p>
  <form method="post" action="/confirm">
    <input name="email" type="hidden" value="${encodeURIComponent(email)}">
    <label>Code <input name="code" required></label>
    <button>Confirm</button>
    <button formaction="/send-again" formnovalidate>Send again</button>
  </form>`);

/** A sign-up that confirms the address with a code. @param smtpUrl where mail is sent to. */
export function createApp(smtpUrl) {
  const transport = createTransport(smtpUrl);
  const codes = new Map();
  const app = express();
  app.use(express.urlencoded());

  async function sendCode(email) {
    const code = String(randomInt(100_000, 1_000_000));
    codes.set(email, code);
    await transport.sendMail({
      from: 'Shop <hello@shop.example>',
      to: email,
      subject: 'Confirm your address',
      text: `Your verification code is ${code}.`,
    });
  }

  app.get('/', (req, res) => res.send(signUpForm));

  app.post('/sign-up', async (req, res) => {
    const { email } = req.body;
    await sendCode(email);
    res.send(codeForm(email, 'A code is on its way.'));
  });

  app.post('/send-again', async (req, res) => {
    const email = decodeURIComponent(req.body.email);
    await sendCode(email);
    res.send(codeForm(email, 'Another code is on its way.'));
  });

  app.post('/confirm', (req, res) => {
    const isRight = codes.get(decodeURIComponent(req.body.email)) === req.body.code;
    res
      .status(isRight ? 200 : 400)
      .send(page(isRight ? '<h1>Welcome</h1>' : '<h1>Wrong code</h1>'));
  });

  return app;
}
