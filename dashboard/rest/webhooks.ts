import { deliveriesPath, webhookPath, webhooksPath } from './paths.ts';
import { request } from './request.ts';
import type {
  Delivery,
  DeliveryPage,
  DeliveryState,
  Recovered,
  Webhook,
  WebhookChange,
  WebhookWithSecret,
} from './shapes.ts';

export function listWebhooks(name: string): Promise<Webhook[]> {
  return request('GET', webhooksPath(name));
}

export function registerWebhook(
  name: string,
  url: string,
  include: Webhook['include'],
): Promise<WebhookWithSecret> {
  return request('POST', webhooksPath(name), { body: { url, include } });
}

export function changeWebhook(name: string, id: string, body: WebhookChange): Promise<Webhook> {
  return request('PATCH', webhookPath(name, id), { body });
}

export function deleteWebhook(name: string, id: string): Promise<void> {
  return request('DELETE', webhookPath(name, id));
}

/** @param expiresIn seconds for which requests are also signed with the previous secret. */
export function rotateSecret(
  name: string,
  id: string,
  expiresIn: number,
): Promise<WebhookWithSecret> {
  return request('POST', `${webhookPath(name, id)}/rotate-secret`, { body: { expiresIn } });
}

export function testWebhook(name: string, id: string): Promise<Delivery> {
  return request('POST', `${webhookPath(name, id)}/test`);
}

export function recoverDeliveries(name: string, id: string): Promise<Recovered> {
  return request('POST', `${webhookPath(name, id)}/recover`, { body: {} });
}

/** Returns the delivery log, newest first, optionally filtered by state. */
export function listDeliveries(
  name: string,
  id: string,
  { state, after, limit = 20 }: { state?: DeliveryState; after?: string; limit?: number } = {},
): Promise<DeliveryPage> {
  const query = new URLSearchParams({ limit: `${limit}` });
  if (state) query.set('state', state);
  if (after) query.set('after', after);
  return request('GET', `${deliveriesPath(name, id)}?${query.toString()}`);
}

export function redeliver(name: string, id: string, deliveryId: string): Promise<Delivery> {
  const path = `${deliveriesPath(name, id)}/${encodeURIComponent(deliveryId)}/redeliver`;
  return request('POST', path);
}
