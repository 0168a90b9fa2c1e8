/**
 * Sends the configuration to `up`, which runs this program once. The schema of the variables takes
 * memory, so it is not loaded into the process that stays (docs/decisions.md, 10).
 */
import { type Config, ConfigError, readConfig } from '../../core/config/config.ts';
import { chooseFreePorts } from './free-ports.ts';

/** The message of this program, as JSON. */
export type ReadConfig =
  | {
      /** `keyring` is null: the keys stay in this process. */
      config: Config;
      /** Variables of all children that differ from the environment. */
      changes: Record<string, string>;
    }
  /** Why the configuration is invalid. */
  | { fault: string };

async function read(): Promise<ReadConfig> {
  const bindHost = process.env.BIND_HOST?.trim() || '127.0.0.1';
  const given = { ...process.env, BIND_HOST: bindHost };
  const { http, smtp, dataDir } = readConfig(given, 'script');
  const asked = { PORT: http.port, SMTP_PORT: smtp.port };
  const chosen = Object.entries(await chooseFreePorts(bindHost, asked));
  const ports = Object.fromEntries(chosen.map(([name, port]) => [name, `${port}`]));
  const changes = { BIND_HOST: bindHost, ...ports, DATA_DIR: dataDir };
  const config = readConfig({ ...given, ...changes }, 'script');
  return { config: { ...config, keyring: null }, changes };
}

const result = await read().catch((error: unknown): ReadConfig => {
  if (error instanceof ConfigError) return { fault: error.message };
  throw error;
});
process.send?.(result);
