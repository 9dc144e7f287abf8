import type { DescMethod } from '@bufbuild/protobuf';
import type { Endpoint, Observe } from '@tiphys/server';
import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client';

const types: Record<DescMethod['methodKind'], string> = {
  unary: 'unary',
  server_streaming: 'server_stream',
  client_streaming: 'client_stream',
  bidi_streaming: 'bidi_stream',
};

/** Counts calls by the names that gRPC servers in Go have for it. */
export class FlowMetrics {
  readonly #registry = new Registry();
  readonly #labels: ReadonlyMap<string, Record<'grpc_type' | 'grpc_service' | 'grpc_method', string>>;
  readonly #handled: Counter;
  readonly #seconds: Histogram;
  readonly #scrapes: Counter;
  readonly #scraping: Gauge;

  constructor(endpoints: readonly Endpoint[]) {
    const registers = [this.#registry];
    const labelNames = ['grpc_type', 'grpc_service', 'grpc_method'];
    this.#handled = new Counter({
      name: 'grpc_server_handled_total',
      help: 'Calls that were answered, by method and code.',
      labelNames: [...labelNames, 'grpc_code'],
      registers,
    });
    this.#seconds = new Histogram({
      name: 'grpc_server_handling_seconds',
      help: 'Time from the beginning of a call to its end.',
      labelNames,
      registers,
    });
    this.#scrapes = new Counter({
      name: 'promhttp_metric_handler_requests_total',
      help: 'Answers of this page by code.',
      labelNames: ['code'],
      registers,
    });
    this.#scraping = new Gauge({
      name: 'promhttp_metric_handler_requests_in_flight',
      help: 'Requests of this page that are being answered.',
      registers,
    });
    for (const code of ['200', '500', '503']) this.#scrapes.inc({ code }, 0);
    collectDefaultMetrics({ register: this.#registry });
    this.#labels = new Map(
      endpoints.map(({ path, service, method }) => [
        path,
        { grpc_type: types[method.methodKind], grpc_service: service.typeName, grpc_method: method.name },
      ]),
    );
    for (const labels of this.#labels.values()) this.#seconds.zero(labels);
  }

  readonly observe: Observe = ({ path, code, milliseconds }) => {
    const labels = this.#labels.get(path);
    if (!labels) return;
    this.#handled.inc({ ...labels, grpc_code: code });
    this.#seconds.observe(labels, milliseconds / 1000);
  };

  /** The page, with its content type. */
  async page(): Promise<{ text: string; type: string }> {
    this.#scraping.inc();
    try {
      this.#scrapes.inc({ code: '200' });
      return { text: await this.#registry.metrics(), type: this.#registry.contentType };
    } finally {
      this.#scraping.dec();
    }
  }
}
