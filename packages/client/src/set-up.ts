/** The global set-up of Playwright and of Vitest: one Mayfly for the run. */
import { LOOPBACK } from './connection/loopback.ts';
import { startMayfly } from './server/index.ts';

/**
 * Starts Mayfly and sets `MAYFLY_URL`, `MAYFLY_TOKEN` and `SMTP_URL`. An `SMTP_URL` that is set
 * decides the port. With `MAYFLY_URL` and `MAYFLY_TOKEN`, it starts nothing.
 * @returns what stops it
 * @throws for an `SMTP_URL` of another machine, to which the tests would send mail
 */
export default async function setUp(): Promise<() => Promise<void>> {
  const { env } = process;
  if (env.MAYFLY_URL && env.MAYFLY_TOKEN) return () => Promise.resolve();
  const port = env.SMTP_URL ? portOf(env.SMTP_URL) : '';
  const { url, token, smtp, stop } = await startMayfly(port ? { env: { SMTP_PORT: port } } : {});
  Object.assign(env, { MAYFLY_URL: url, MAYFLY_TOKEN: token });
  env.SMTP_URL ||= smtp.url;
  return stop;
}

function portOf(smtpUrl: string): string {
  const { hostname, port } = new URL(URL.canParse(smtpUrl) ? smtpUrl : 'smtp://unknown');
  if (LOOPBACK.test(hostname)) return port;
  throw new Error(
    `SMTP_URL must be smtp://127.0.0.1:PORT, on which the set-up starts Mayfly, not a server at "${hostname}". Unset it for a free port.`,
  );
}
