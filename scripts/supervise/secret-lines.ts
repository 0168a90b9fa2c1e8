/** The token and the SMTP credential in the announcement of `up`. */
import type { Config } from '../../core/config/config.ts';
import type { FirstWorkspace } from '../cli/existing-workspace.ts';
import { commandLineFor } from '../command-line.ts';
import { type Listening, ownSmtpUrl } from './own-addresses.ts';

export type Credential = NonNullable<FirstWorkspace['credential']>;
type Given = Pick<Config, 'bootstrap'>;
type Place = Given & Listening & Pick<Config, 'isPrivate' | 'dataDir' | 'mailDomain'>;

/** The token in a command. Values that the operator chose are not printed. */
export function tokenWord({ bootstrap }: Given, { token }: FirstWorkspace): string {
  if (token === null) return '$TOKEN';
  return token === bootstrap.token ? '$BOOTSTRAP_TOKEN' : token;
}

/** The password in a command. */
export function passwordWord({ bootstrap }: Given, { password }: Credential): string {
  return password === bootstrap.smtpPassword ? '$BOOTSTRAP_SMTP_PASSWORD' : password;
}

/** Lines with the token and the SMTP URL, or how to get others. */
export function secretLines(place: Place, workspace: FirstWorkspace): string[] {
  const { token, credential, domainExists } = workspace;
  const { bootstrap, isPrivate, dataDir, mailDomain: domain } = place;
  const lines: string[] = [];
  if (token === null) {
    lines.push('  Token        was shown once, at the first start with this DATA_DIR');
    if (domainExists) {
      lines.push(
        `               To get another: ${commandLineFor(dataDir, 'token:create')} --domain ${domain}`,
      );
    }
  } else {
    lines.push(`  Token        ${token === bootstrap.token ? 'as in BOOTSTRAP_TOKEN' : token}`);
  }
  const ownsPassword = credential !== null && credential.password === bootstrap.smtpPassword;
  if (ownsPassword) {
    lines.push(`  SMTP login   User ${credential.username}, password in BOOTSTRAP_SMTP_PASSWORD`);
  } else if (credential) {
    lines.push(`  SMTP_URL     ${ownSmtpUrl(place, credential)}`);
  } else if (isPrivate) {
    lines.push(
      '  SMTP_URL     was shown once, at the first start with this DATA_DIR',
      `               To get another: mayfly smtp create --mailbox ${bootstrap.mailbox}  (of @mayfly/cli)`,
    );
  }
  const shownOnce = [
    ...(token !== null && token !== bootstrap.token ? ['token'] : []),
    ...(credential && !ownsPassword ? ['url'] : []),
  ];
  if (shownOnce.length === 2) lines.push('               Save both now: they are not shown again.');
  if (shownOnce.length === 1) lines.push('               Save it now: it is not shown again.');
  return lines;
}
