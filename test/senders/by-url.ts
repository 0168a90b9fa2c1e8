/** Programs that get the printed `SMTP_URL` and no other setting, as applications do. */
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createTransport } from 'nodemailer';
import { makeTempDir } from '../support/context/temp-dir.ts';
import { sendThroughPostfix } from './postfix.ts';
import { DEBIAN_PYTHON, type OutgoingMail, type Sender, run, works } from './senders.ts';

export interface UrlSender extends Pick<Sender, 'name' | 'needs' | 'isThere'> {
  send: (url: string, mail: OutgoingMail) => Promise<void>;
}

/** Uses STARTTLS when it is offered and then verifies the certificate, as Rails and Laravel do. */
const PYTHON = `
import json, smtplib, ssl, sys
from urllib.parse import urlsplit
job = json.load(sys.stdin)
url = urlsplit(job['url'])
client = smtplib.SMTP(url.hostname, url.port)
client.ehlo()
if client.has_extn('starttls'):
    client.starttls(context=ssl.create_default_context())
client.login(url.username, url.password)
client.sendmail(job['from'], job['to'], job['raw'].encode())
client.quit()
`;

/** With the settings of `docs/framework-settings.md`, from the parts of the URL. */
const DJANGO = `
import json, sys
from urllib.parse import urlsplit
job = json.load(sys.stdin)
url = urlsplit(job['url'])
from django.conf import settings
settings.configure(EMAIL_BACKEND='django.core.mail.backends.smtp.EmailBackend', EMAIL_HOST=url.hostname,
    EMAIL_PORT=url.port, EMAIL_HOST_USER=url.username, EMAIL_HOST_PASSWORD=url.password)
import django
django.setup()
from django.core.mail import send_mail
assert send_mail('From Django', 'It works.', job['from'], job['to']) == 1
`;

/** As Action Mailer does with `smtp_settings`. */
const RUBY = `
require 'json'
require 'net/smtp'
require 'uri'
job = JSON.parse($stdin.read)
url = URI(job['url'])
smtp = Net::SMTP.new(url.host, url.port)
smtp.enable_starttls_auto
smtp.start('client.example', url.user, url.password, :plain) do |session|
  session.send_message(job['raw'], job['from'], job['to'])
end
`;

const GO = `
package main

import (
	"encoding/json"
	"net/smtp"
	"net/url"
	"os"
)

func main() {
	var job struct {
		URL, From, Raw string
		To             []string
	}
	if err := json.NewDecoder(os.Stdin).Decode(&job); err != nil {
		panic(err)
	}
	at, err := url.Parse(job.URL)
	if err != nil {
		panic(err)
	}
	password, _ := at.User.Password()
	auth := smtp.PlainAuth("", at.User.Username(), password, at.Hostname())
	if err := smtp.SendMail(at.Host, auth, job.From, job.To, []byte(job.Raw)); err != nil {
		panic(err)
	}
}
`;

export const urlSenders: UrlSender[] = [
  {
    name: 'Nodemailer',
    needs: 'nodemailer',
    isThere: async () => true,
    send: async (url, { from, to, raw }) => {
      const transport = createTransport(url);
      await transport.sendMail({ envelope: { from, to }, raw });
      transport.close();
    },
  },
  {
    name: 'smtplib',
    needs: 'python3',
    isThere: () => works('python3', '-c', 'import smtplib, ssl'),
    send: async (url, mail) => {
      await run(['python3', '-c', PYTHON], JSON.stringify({ url, ...mail }));
    },
  },
  {
    name: 'Django',
    needs: 'python3-django',
    isThere: () => works(DEBIAN_PYTHON, '-c', 'import django'),
    send: async (url, mail) => {
      await run([DEBIAN_PYTHON, '-c', DJANGO], JSON.stringify({ url, ...mail }));
    },
  },
  {
    name: 'Postfix',
    needs: 'postfix',
    isThere: () => works('postconf', '-d', 'mail_version'),
    send: async (url, { to }) => {
      const { port, username, password } = new URL(url);
      const server = { port: Number(port), way: 'plain', certFile: '' } as const;
      await sendThroughPostfix({ ...server, username, password }, to);
    },
  },
  {
    name: 'swaks',
    needs: 'swaks',
    isThere: () => works('swaks', '--version'),
    send: async (url, { from, to, raw }) => {
      const { host, username, password } = new URL(url);
      const login = ['--tls-optional', '--auth', 'PLAIN', '-au', username, '-ap', password];
      await run(['swaks', '-s', host, ...login, '-f', from, '-t', to.join(','), '-d', '-'], raw);
    },
  },
  {
    name: 'curl',
    needs: 'curl',
    isThere: () => works('curl', '--version'),
    send: async (url, { from, to, raw }) => {
      const envelope = ['--mail-from', from, ...to.flatMap((each) => ['--mail-rcpt', each])];
      await run(['curl', '-sS', '--ssl', url, ...envelope, '-T', '-'], raw);
    },
  },
  {
    name: 'Ruby',
    needs: 'ruby',
    isThere: () => works('ruby', '-e', 'require "net/smtp"'),
    send: async (url, mail) => {
      await run(['ruby', '-e', RUBY], JSON.stringify({ url, ...mail }));
    },
  },
  {
    name: 'Go',
    needs: 'golang-go',
    isThere: () => works('go', 'version'),
    send: async (url, mail) => {
      const folder = await makeTempDir();
      try {
        const program = join(folder.path, 'main.go');
        await writeFile(program, GO);
        await run(['go', 'run', program], JSON.stringify({ url, ...mail }));
      } finally {
        await folder.remove();
      }
    },
  },
];
