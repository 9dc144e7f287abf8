import { type Resource, unsupported } from '@tiphys/apimachinery';
import type { Answer } from '../http/answer.ts';
import type { RequestInfo } from '../request/request-info.ts';
import { answerResource } from '../resources/resource-requests.ts';
import { bind } from './pod-binding.ts';
import { evict } from './pod-eviction.ts';
import { podLog } from './pod-log.ts';
import { podStream } from './pod-stream.ts';
import { scale } from './scale.ts';
import { issueToken } from './service-account-token.ts';
import type { SubresourceRequest } from './subresource-request.ts';

/** Answers, or streams an answer by itself and gives undefined. */
export type SubresourceHandler = (request: SubresourceRequest) => Answer | undefined | Promise<Answer | undefined>;

/** Who answers a request for a subresource; undefined where it is answered like the resource itself. */
export function subresourceHandler(resource: Resource, info: RequestInfo): SubresourceHandler | undefined {
  if (resource.collection === 'bindings') return bind;
  switch (info.subresource) {
    case '':
      return undefined;
    case 'status':
    case 'finalize':
    case 'ephemeralcontainers':
    case 'approval':
    case 'resize':
      return answerResource;
    case 'scale':
      return scale;
    case 'binding':
      return bind;
    case 'eviction':
      return evict;
    case 'token':
      return issueToken;
    case 'log':
      return podLog;
    case 'exec':
    case 'attach':
    case 'portforward':
      return podStream;
    default:
      return () => {
        throw unsupported(`${resource.plural}/${info.subresource}`, 'use a real cluster for it');
      };
  }
}
