import { resolve } from 'node:path';

/**
 * How a user calls a command of the service: the package sets MAYFLY_COMMAND, a checkout has the
 * scripts of package.json.
 */
export function commandLine(command: string): string {
  const installed = process.env.MAYFLY_COMMAND;
  return installed ? `${installed} ${command}` : `npm run ${command} --`;
}

/** The same for the data in a folder, which scripts look for in ./data by default. */
export function commandLineFor(dataDir: string, command: string): string {
  // The package passes its folder on.
  const isDefault = dataDir === resolve('data') || process.env.MAYFLY_COMMAND;
  return `${isDefault ? '' : `DATA_DIR='${dataDir}' `}${commandLine(command)}`;
}
