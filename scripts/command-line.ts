/**
 * How a user calls a command of the service: the package sets MAYFLY_COMMAND, a checkout has the
 * scripts of package.json.
 */
export function commandLine(command: string): string {
  const installed = process.env.MAYFLY_COMMAND;
  return installed ? `${installed} ${command}` : `npm run ${command} --`;
}
