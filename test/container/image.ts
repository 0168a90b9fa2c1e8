/**
 * An image in buildah's store, and a container of it that runs without Docker: in a chroot, on this
 * machine's network.
 */
import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { follow } from '../support/process/programs.ts';

const env = { ...process.env, STORAGE_DRIVER: 'vfs', BUILDAH_ISOLATION: 'chroot' };

/** What a buildah command prints. @throws when it fails. */
export function buildah(...args: string[]): string {
  const { status, stdout, stderr } = spawnSync('buildah', args, { env, encoding: 'utf8' });
  if (status !== 0) throw new Error(`buildah ${args.join(' ')}: ${stderr}`);
  return stdout.trim();
}

interface Inspected {
  OCIv1: { config: { Cmd: string[]; User: string } };
  Docker: { config: { Healthcheck: { Test: string[] } } };
}

/** The command, the user and the command of the health check that the image names. */
export function inspectImage(image: string) {
  const { OCIv1, Docker } = JSON.parse(buildah('inspect', '--type', 'image', image)) as Inspected;
  const [, ...healthcheck] = Docker.config.Healthcheck.Test;
  return { command: OCIv1.config.Cmd, user: OCIv1.config.User, healthcheck };
}

export interface Container {
  /** Runs a command beside the one of the image; its exit code and output. */
  readonly run: (command: string[]) => { status: number | null; output: string };
  /** Starts the command. */
  readonly start: (command: string[]) => Started;
  readonly remove: () => void;
}

export interface Started {
  readonly child: ChildProcess;
  readonly output: () => string;
  /** Resolves to its exit code. */
  readonly exited: Promise<number | null>;
}

/** A container of the image with these variables. */
export function createContainer(image: string, variables: Record<string, string>): Container {
  const name = buildah('from', '--pull-never', image);
  for (const [variable, value] of Object.entries(variables)) {
    buildah('config', '--env', `${variable}=${value}`, name);
  }
  return {
    run: (command) => {
      const { status, stdout, stderr } = spawnSync('buildah', ['run', name, '--', ...command], {
        env,
        encoding: 'utf8',
      });
      return { status, output: stdout + stderr };
    },
    start: (command) => {
      const child = spawn('buildah', ['run', name, '--', ...command], {
        env,
        stdio: ['ignore', 'pipe', 'pipe'],
      });
      return follow(child);
    },
    remove: () => void buildah('rm', name),
  };
}
