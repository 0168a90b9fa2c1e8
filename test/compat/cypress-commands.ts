/**
 * The commands that a plugin of Cypress registers, without Cypress: each is called with promises in
 * place of chains, and requests are sent by fetch.
 */
type Subject = (...given: unknown[]) => unknown;

interface Asked {
  method: string;
  url: string;
  auth?: { user: string; pass: string } | '';
  qs?: Record<string, string>;
  body?: unknown;
  failOnStatusCode?: boolean;
}

/** A chain: its members are read with `its`. */
class Chain<Value> extends Promise<Value> {
  its(name: string): Chain<unknown> {
    return this.then((value) => (value as Record<string, unknown>)[name]) as Chain<unknown>;
  }
}

/**
 * Loads a plugin.
 * @param settings that the plugin reads, in the environment and in the configuration
 * @returns a function that calls a command by its name
 */
export async function commandsOf(
  load: () => Promise<unknown>,
  settings: Record<string, string>,
): Promise<(name: string, ...given: unknown[]) => Promise<unknown>> {
  const commands = new Map<string, Subject>();
  const add = (name: string, ...rest: unknown[]) => {
    const command = rest.at(-1) as Subject;
    const registered = (...given: unknown[]) => wrap(command(...given));
    commands.set(name, registered);
    cy[name] = registered;
  };
  const read = (name: string) => settings[name];
  const cy: Record<string, unknown> = {
    request: (asked: Asked) => wrap(request(asked)),
    wrap,
    env: (names: string[]) => wrap(Object.fromEntries(names.map((name) => [name, read(name)]))),
    verifyUpcomingAssertions: (subject: unknown) => wrap(subject),
  };
  const Cypress = { env: read, config: read, expose: read, Commands: { add } };
  Object.assign(globalThis, { cy, Cypress });
  await load();
  return async (name, ...given) => {
    const command = commands.get(name);
    if (!command) throw new Error(`the plugin has no command ${name}`);
    return command(...given);
  };
}

function wrap(value: unknown): Chain<unknown> {
  return new Chain((resolve) => {
    resolve(value);
  });
}

async function request({ method, url, auth, qs, body, failOnStatusCode }: Asked): Promise<object> {
  const target = new URL(url);
  for (const [name, value] of Object.entries(qs ?? {})) target.searchParams.set(name, value);
  const basic = auth ? Buffer.from(`${auth.user}:${auth.pass}`).toString('base64') : null;
  const response = await fetch(target, {
    method,
    headers: {
      ...(basic !== null && { Authorization: `Basic ${basic}` }),
      ...(body !== undefined && { 'Content-Type': 'application/json' }),
    },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
  const text = await response.text();
  if (!response.ok && failOnStatusCode !== false) {
    throw new Error(`${method} ${target.pathname}: ${response.status} ${text}`);
  }
  const isJson = response.headers.get('content-type')?.startsWith('application/json');
  return { status: response.status, body: isJson ? (JSON.parse(text) as unknown) : text };
}
