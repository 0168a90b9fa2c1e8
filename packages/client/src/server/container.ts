import { UNTIL_INPUT_ENDS } from './run.ts';

/** In the image. Removed with the container. */
const FOLDER = '/tmp/mayfly';
const UP = ['node', 'dist/scripts/supervise/main.js'];

/**
 * The command that starts the image. Docker passes the end of its input on, which stops the
 * service and removes the container.
 * @param variables names of variables, whose values Docker takes from its environment
 * @param ports published on loopback under the same number
 */
export function containerCommand(image: string, variables: string[], ports: string[]): string[] {
  return [
    ...['docker', 'run', '--rm', '--init', '--interactive'],
    // Webhooks reach receivers on this machine.
    ...['--add-host', 'host.docker.internal:host-gateway'],
    ...ports.flatMap((port) => ['--publish', `127.0.0.1:${port}:${port}`]),
    ...variables.flatMap((name) => ['--env', name]),
    ...[image, 'sh', '-c', UNTIL_INPUT_ENDS, 'mayfly', FOLDER, ...UP],
  ];
}
