export { chunksOf, discard, guardBody } from './body.ts';
export { checksOf, guardServer, guardSession } from './connections.ts';
export { guardedServer } from './guarded-server.ts';
export { type InboundLimits, inboundLimits } from './limits.ts';
export { type ProcessFacts, processAt, processFacts } from './port-owner.ts';
export { requestUrl } from './request-url.ts';
