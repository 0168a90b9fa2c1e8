/** The web process. */
import type { Server } from 'node:http';
import { openContext } from '../core/context.js';
import { runProcess } from '../core/entry.js';
import { AppError } from '../core/errors.js';
import { createApp } from './app.js';
import { createHttpServer } from './http-server.js';

const FINISH_DEADLINE_MS = 20_000;

runProcess('web', async (config, log) => {
  const context = await openContext(config, log);
  const server = createHttpServer(createApp(context), log.child({ subsystem: 'api' }));
  await listen(server, config.http.port, config.bindHost);
  return {
    stop: async () => {
      await finish(server);
      await context.close();
    },
  };
});

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

/** Takes no new requests and waits for those being served; idle connections end at once. */
async function finish(server: Server): Promise<void> {
  const timer = setTimeout(() => {
    server.closeAllConnections();
  }, FINISH_DEADLINE_MS);
  const closed = new Promise((resolve) => server.close(resolve));
  server.closeIdleConnections();
  await closed;
  clearTimeout(timer);
}
