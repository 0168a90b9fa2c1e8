/** The web process. */
import { type Server, createServer } from 'node:http';
import type { Duplex } from 'node:stream';
import { openContext } from '../core/context.js';
import { runProcess } from '../core/entry.js';
import { AppError } from '../core/errors.js';
import { newId } from '../core/ids.js';
import { createApp } from './app.js';
import { orderlyStop } from './orderly-stop.js';

runProcess('web', async (config, log) => {
  const context = await openContext(config, log);
  const server = createServer(createApp(context));
  const finish = orderlyStop(server);
  server.on('clientError', answerGarbage);
  await listen(server, config.http.port, config.bindHost);
  return {
    stop: async () => {
      await finish();
      await context.close();
    },
  };
});

/** What Node's parser refuses never reaches the application; it gets the same shape of answer. */
function answerGarbage(_error: Error, socket: Duplex): void {
  if (!socket.writable) return;
  const requestId = newId('request');
  const body = JSON.stringify({
    error: 'This is not a valid HTTP request.',
    code: 'invalid_request',
    requestId,
  });
  socket.end(
    `HTTP/1.1 400 Bad Request\r\nConnection: close\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body}`,
  );
}

async function listen(server: Server, port: number, host: string): Promise<void> {
  await new Promise<void>((resolve, reject) => {
    server.once('error', (error: NodeJS.ErrnoException) => {
      const text =
        error.code === 'EADDRINUSE' ? `port ${port} (PORT) is already in use` : error.message;
      reject(new AppError('unavailable', text, { cause: error }));
    });
    server.listen(port, host, resolve);
  });
}
