import { fromJson, type JsonValue, toBinary } from '@bufbuild/protobuf';
import {
  type ExportMetricsServiceRequest,
  ExportMetricsServiceRequestSchema,
  MetricsService,
} from '../generated/argocd/otlp/metrics_pb.js';

/** How metrics are told to a collector of OpenTelemetry. */
export const metricsService = {
  metrics: MetricsService,
  /** The request that its JSON means. */
  message: (json: object): ExportMetricsServiceRequest =>
    fromJson(ExportMetricsServiceRequestSchema, json as JsonValue),
  /** The same in bytes, which is what HTTP carries. */
  encode: (json: object): Uint8Array => toBinary(ExportMetricsServiceRequestSchema, metricsService.message(json)),
} as const;
