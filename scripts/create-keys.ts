/** `npm run keys:create`: the secrets that a deployment in production needs, as variables of its environment. */
import { newOperatorPassword } from '../core/data-dir.js';
import { generateKeyring } from '../core/keyring.js';

process.stdout.write(
  `ENCRYPTION_KEYS=${generateKeyring()}\nOPERATOR_PASSWORD=${newOperatorPassword()}\n`,
);
