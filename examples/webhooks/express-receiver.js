import { MayflySignatureError, verifyWebhook } from '@mayfly/client';
import express from 'express';

const { SECRET, RECEIVER_PORT = '4000' } = process.env;
const app = express();

// The signature is that of the bytes: they must not be parsed before. Express has no body for a
// request without one.
app.post('/hooks', express.raw({ type: '*/*', limit: '50mb' }), async (req, res) => {
  try {
    const { mailbox, message } = await verifyWebhook(req.body ?? '', req.headers, SECRET);
    console.log(`${mailbox}: ${message.subject}`);
    res.sendStatus(204);
  } catch (error) {
    if (!(error instanceof MayflySignatureError)) throw error;
    res.sendStatus(401);
  }
});

app.listen(Number(RECEIVER_PORT), '127.0.0.1', () => console.log('ready'));
