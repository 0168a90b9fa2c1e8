/** `npm run keys:create`: prints the secrets that production requires, as environment variables. */
import { newOperatorPassword } from '../../core/config/generated-secrets.ts';
import { generateKeyring } from '../../core/secrets/keyring.ts';

process.stdout.write(
  `ENCRYPTION_KEYS=${generateKeyring()}\nOPERATOR_PASSWORD=${newOperatorPassword()}\n`,
);
