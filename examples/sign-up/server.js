import { createApp } from './app.js';

const port = Number(process.env.APP_PORT ?? 8080);
createApp(process.env.SMTP_URL).listen(port, '127.0.0.1', () =>
  console.log(`http://127.0.0.1:${port}/`),
);
