import { Counter, Gauge, Histogram, type Registry } from 'prom-client';
import { QUICK } from './metric-buckets.js';

/** What is asked of the API. */
export function httpMetrics(registry: Registry) {
  const registers = [registry];
  return {
    requests: new Counter({
      name: 'mayfly_http_requests_total',
      help: 'Requests answered.',
      labelNames: ['method', 'route', 'status'] as const,
      registers,
    }),
    requestSeconds: new Histogram({
      name: 'mayfly_http_request_seconds',
      help: 'From the header of a request to the end of its answer, event streams left out.',
      labelNames: ['method', 'route'] as const,
      buckets: QUICK,
      registers,
    }),
    eventStreams: new Gauge({
      name: 'mayfly_event_streams',
      help: 'Event streams that are open.',
      registers,
    }),
  };
}
