import { Router } from 'express';
import type { Context } from '../../core/context.ts';
import { connectionSettings, smtpUrl } from '../../core/smtp-credentials/connection-settings.ts';
import {
  type CredentialRow,
  type CredentialWithPassword,
  createCredential,
  deleteCredential,
  listCredentials,
  rotatePassword,
} from '../../core/smtp-credentials/smtp-credentials.ts';
import type { Shape } from '../contract/contract.ts';

export function credentialRoutes(context: Context): Router {
  const router = Router();
  const settings = connectionSettings(context.config);

  /** Lists each field, because a row also has the password hash. */
  const present = (row: CredentialRow): Shape<'SmtpCredential'> => ({
    id: row.id,
    name: row.name,
    username: row.username,
    ...settings,
    createdAt: row.createdAt.toISOString(),
    lastUsedAt: row.lastUsedAt?.toISOString() ?? null,
  });
  const withPassword = ({
    credential,
    password,
  }: CredentialWithPassword): Shape<'SmtpCredentialWithPassword'> => ({
    ...present(credential),
    password,
    url: smtpUrl(settings, credential.username, password),
  });

  router.post<
    string,
    { name: string },
    Shape<'SmtpCredentialWithPassword'>,
    Shape<'NewSmtpCredential'>
  >('/api/mailboxes/:name/smtp-credentials', async (req, res) => {
    const { caller } = res.locals;
    const made = await createCredential(context, caller, req.params.name, req.body.name);
    res.status(201).json(withPassword(made));
  });

  router.get<string, { name: string }, Shape<'SmtpCredential'>[]>(
    '/api/mailboxes/:name/smtp-credentials',
    async (req, res) => {
      const rows = await listCredentials(context, res.locals.caller, req.params.name);
      res.json(rows.map(present));
    },
  );

  router.post<string, { name: string; id: string }, Shape<'SmtpCredentialWithPassword'>>(
    '/api/mailboxes/:name/smtp-credentials/:id/rotate-password',
    async (req, res) => {
      const { name, id } = req.params;
      res.json(withPassword(await rotatePassword(context, res.locals.caller, name, id)));
    },
  );

  router.delete('/api/mailboxes/:name/smtp-credentials/:id', async (req, res) => {
    await deleteCredential(context, res.locals.caller, req.params.name, req.params.id);
    res.status(204).end();
  });

  return router;
}
