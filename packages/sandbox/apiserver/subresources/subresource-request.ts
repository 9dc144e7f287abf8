import type { IncomingMessage, ServerResponse } from 'node:http';
import type { ResourceRequest } from '../resources/resource-requests.ts';

/** A request for a part of an object; who answers may stream by itself. */
export interface SubresourceRequest extends ResourceRequest {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
}
