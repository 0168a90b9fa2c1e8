/** `npm run keys:create`: prints the secrets that production requires, as environment variables. */
import { newOperatorPassword } from '../../core/config/generated-secrets.js';
import { generateKeyring } from '../../core/secrets/keyring.js';

process.stdout.write(
  `ENCRYPTION_KEYS=${generateKeyring()}\nOPERATOR_PASSWORD=${newOperatorPassword()}\n`,
);
