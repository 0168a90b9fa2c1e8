/** Actions that a mail declares for mail programs (schema.org in JSON-LD). */

export interface Action {
  type: 'ConfirmAction' | 'ViewAction';
  url: string;
  name: string;
}

const MAX_DEPTH = 6;
const MAX_ACTIONS = 20;

/** The actions of a script; none if it is not JSON. */
export function jsonLdActions(script: string): Action[] {
  const found: Action[] = [];
  try {
    visit(JSON.parse(script), 0, found);
  } catch {
    return [];
  }
  return found;
}

function visit(value: unknown, depth: number, found: Action[]): void {
  if (typeof value !== 'object' || value === null) return;
  if (depth > MAX_DEPTH || found.length >= MAX_ACTIONS) return;
  if (Array.isArray(value)) {
    for (const each of value) visit(each, depth + 1, found);
    return;
  }
  const fields = new Map<string, unknown>(Object.entries(value));
  const type = fields.get('@type');
  const url = [fields.get('url'), fields.get('target'), urlOf(fields.get('handler'))].find(
    (each) => typeof each === 'string',
  );
  if ((type === 'ConfirmAction' || type === 'ViewAction') && typeof url === 'string') {
    const name = fields.get('name');
    found.push({ type, url, name: typeof name === 'string' ? name.slice(0, 300) : '' });
  }
  for (const each of fields.values()) visit(each, depth + 1, found);
}

function urlOf(handler: unknown): unknown {
  return typeof handler === 'object' && handler !== null && 'url' in handler
    ? handler.url
    : undefined;
}
