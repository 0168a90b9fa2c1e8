/** `npm run keys:create`: the secrets that a deployment in production needs, as variables of its environment. */
import { newOperatorPassword } from '../../core/config/generated-secrets.js';
import { generateKeyring } from '../../core/secrets/keyring.js';

process.stdout.write(
  `ENCRYPTION_KEYS=${generateKeyring()}\nOPERATOR_PASSWORD=${newOperatorPassword()}\n`,
);
