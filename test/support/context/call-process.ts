/**
 * A process that makes webhook calls concurrently in a separate environment, and sends the results
 * back.
 */
import { redirectPort } from '../servers/redirect-port.ts';
import { call, localEgress } from './webhook-call.ts';

export interface Calls {
  urls: string[];
  /** The target of connections to port 443. */
  httpsPort?: number;
}

process.on('message', ({ urls, httpsPort }: Calls) => {
  if (httpsPort) redirectPort(443, httpsPort);
  const egress = localEgress({ 'hooks.test': ['127.0.0.1'] });
  void Promise.all(urls.map((url) => call(url, {}, egress))).then((answers) => {
    process.send?.(answers);
    process.disconnect();
  });
});
