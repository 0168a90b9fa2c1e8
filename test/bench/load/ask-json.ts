import { type Agent, request } from 'node:http';
import type { Target } from '../target.ts';

/** Asks the API, and resolves to the JSON of the response. @throws for a status other than 2xx. */
export function askJson<Answer>(
  { origin, token }: Pick<Target, 'origin' | 'token'>,
  agent: Agent,
  path: string,
  body?: object,
): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const headers = {
      Authorization: `Bearer ${token}`,
      ...(body && { 'Content-Type': 'application/json' }),
    };
    const method = body ? 'POST' : 'GET';
    const asked = request(origin + path, { agent, method, headers }, (response) => {
      const parts: Buffer[] = [];
      response.on('data', (part: Buffer) => parts.push(part));
      response.once('error', reject);
      response.once('end', () => {
        const text = Buffer.concat(parts).toString();
        if ((response.statusCode ?? 0) < 300) resolve(JSON.parse(text) as Answer);
        else reject(new Error(`${path}: ${response.statusCode ?? 0} ${text}`));
      });
    });
    asked.once('error', reject);
    asked.end(body && JSON.stringify(body));
  });
}
