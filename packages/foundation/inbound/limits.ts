/** What a connection may cost. Times are in milliseconds. */
export interface InboundLimits {
  /** From the first byte of a connection or request to the end of its head. */
  readonly head: number;
  /** Time in which `bodyBytes` more of a body have to come. */
  readonly body: number;
  readonly bodyBytes: number;
  /** How long a connection may be kept without a request. */
  readonly idle: number;
  readonly connections: number;
  /** Of one HTTP/2 connection at once. */
  readonly streams: number;
}

export const inboundLimits: InboundLimits = {
  head: 10_000,
  body: 30_000,
  bodyBytes: 1024,
  idle: 65_000,
  connections: 10_000,
  streams: 1_000,
};
