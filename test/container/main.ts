/**
 * `test/long container [IMAGE]`: builds the image, unless one is named, starts it with its
 * defaults, sends a mail through it and reads it back. Needs root on Debian.
 */
import { spawnSync } from 'node:child_process';
import { expect } from 'chai';
import { createTransport } from 'nodemailer';
import { restClient } from '../support/clients/rest-client.ts';
import { eventually } from '../support/mocha/eventually.ts';
import { freePort } from '../support/servers/free-port.ts';
import { type Container, buildah, createContainer, inspectImage } from './image.ts';

const given = process.argv[2];
const image = given ?? 'localhost/mayfly-test';
const START_WITHIN_MS = 60_000;
/** What only the build and the tests need. */
const LEFT_OUT = ['node_modules/typescript-native', 'node_modules/mocha', 'core', 'test'];

const say = (text: string) => process.stdout.write(`${text}\n`);

if (given === undefined) {
  const build = spawnSync('scripts/container/build-image', [image], { stdio: 'inherit' });
  if (build.status !== 0) throw new Error('the image could not be built');
}
say(`image size: ${buildah('images', '--format', '{{.Size}}', image)}`);

const [port, smtpPort] = await Promise.all([freePort(), freePort()]);
const ports = { PORT: `${port}`, SMTP_PORT: `${smtpPort}` };
const container = createContainer(image, ports);
try {
  await check(container);
} finally {
  container.remove();
}
const secrets = {
  BOOTSTRAP_TOKEN: 'only-for-the-test-of-this-container',
  BOOTSTRAP_SMTP_PASSWORD: 'only-for-this-test',
};
const known = createContainer(image, { ...ports, ...secrets });
try {
  await checkKnownSecrets(known);
} finally {
  known.remove();
}
say('1 passed, 0 failed');

async function check({ run, start }: Container): Promise<void> {
  const { command, user, healthcheck } = inspectImage(image);
  expect(user).to.equal('mayfly');
  expect(run(['id', '-u']).output.trim()).to.not.equal('0');
  for (const path of LEFT_OUT) expect(run(['ls', '-d', path]).status, path).to.not.equal(0);
  expect(run(healthcheck).status, 'the health check of what does not run').to.equal(1);

  const began = performance.now();
  const service = start(command);
  try {
    const token = await eventually(
      'the announcement',
      () => {
        if (service.child.exitCode !== null) throw new Error(service.output());
        return /^ {2}Token +(mf_\w+)$/m.exec(service.output())?.[1];
      },
      START_WITHIN_MS,
    );
    say(`start: ${((performance.now() - began) / 1000).toFixed(1)} s`);
    const health = run(healthcheck);
    expect(health.status, health.output).to.equal(0);

    const rest = restClient(`http://127.0.0.1:${port}/api`, token);
    const { address } = await rest.createMailbox('hello');
    const transport = createTransport({ host: '127.0.0.1', port: smtpPort });
    await transport.sendMail({
      from: 'a@sender.test',
      to: address,
      subject: 'Over SMTP',
      text: 'x',
    });
    const [message] = await eventually('the mail', async () => {
      const messages = await rest.messages('hello');
      return messages.length > 0 && messages;
    });
    expect(message?.subject).to.equal('Over SMTP');
    say(`a mail to ${address} was read back through the API`);
  } finally {
    service.child.kill('SIGTERM');
    await service.exited;
  }
  await eventually('the port to be free', async () =>
    fetch(`http://127.0.0.1:${port}/readyz`).then(
      () => false,
      () => true,
    ),
  );
}

/** With a known token and SMTP password, the container needs nothing but /readyz. */
async function checkKnownSecrets({ start }: Container): Promise<void> {
  const began = performance.now();
  const service = start(inspectImage(image).command);
  try {
    const isReady = () =>
      fetch(`http://127.0.0.1:${port}/readyz`).then(
        ({ ok }) => ok,
        () => false,
      );
    await eventually('/readyz', isReady, START_WITHIN_MS);
    say(`ready: ${((performance.now() - began) / 1000).toFixed(1)} s`);
    const login = `inbox:${secrets.BOOTSTRAP_SMTP_PASSWORD}`;
    const transport = createTransport(`smtp://${login}@127.0.0.1:${smtpPort}`);
    await transport.sendMail({
      from: 'a@sender.test',
      to: 'customer@gmail.com',
      subject: 'Caught',
    });
    const rest = restClient(`http://127.0.0.1:${port}/api`, secrets.BOOTSTRAP_TOKEN);
    const [message] = await eventually('the mail', async () => {
      const messages = await rest.messages('inbox');
      return messages.length > 0 && messages;
    });
    expect(message?.subject).to.equal('Caught');
    expect(service.output()).not.to.include(secrets.BOOTSTRAP_TOKEN);
    say('a mail was caught with the known SMTP password, and read with the known token');
  } finally {
    service.child.kill('SIGTERM');
    await service.exited;
  }
}
