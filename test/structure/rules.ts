import { pathToFileURL } from 'node:url';
import type { ICruiseOptions } from 'dependency-cruiser';

/** The rules of a configuration file of dependency-cruiser, for its API. */
export async function readRules(configFile: string): Promise<ICruiseOptions> {
  const { default: config } = (await import(pathToFileURL(configFile).href)) as {
    default: { forbidden: []; options: ICruiseOptions };
  };
  const { forbidden, options } = config;
  return { ...options, tsConfig: undefined, validate: true, ruleSet: { forbidden } };
}
