/** Paths of the REST API. */
const part = encodeURIComponent;

export const mailboxPath = (name: string) => `/api/mailboxes/${part(name)}`;
export const messagesPath = (name: string) => `${mailboxPath(name)}/messages`;
export const messagePath = (name: string, id: string) => `${messagesPath(name)}/${part(id)}`;
/** The messages of all mailboxes. */
export const allMessagesPath = () => '/api/messages';
export const rawPath = (name: string, id: string) => `${messagePath(name, id)}/raw`;
export const textPath = (name: string, id: string) => `${messagePath(name, id)}/text`;
export const htmlPath = (
  name: string,
  id: string,
  { remote, scheme }: { remote: boolean; scheme: 'light' | 'dark' | null },
) =>
  `${messagePath(name, id)}/html?remote=${remote ? 'true' : 'false'}${scheme ? `&scheme=${scheme}` : ''}`;
export const attachmentPath = (name: string, id: string, attachmentId: string) =>
  `${messagePath(name, id)}/attachments/${part(attachmentId)}`;
export const partPath = (name: string, id: string, section: string) =>
  `${messagePath(name, id)}/parts/${part(section)}`;
export const webhooksPath = (name: string) => `${mailboxPath(name)}/webhooks`;
export const webhookPath = (name: string, id: string) => `${webhooksPath(name)}/${part(id)}`;
export const deliveriesPath = (name: string, id: string) => `${webhookPath(name, id)}/deliveries`;
