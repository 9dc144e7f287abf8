import type { Strategy } from '../machinery/strategy.ts';

interface Request {
  allocationMode?: string;
  count?: number;
}

interface ClaimSpec {
  devices?: { requests?: { exactly?: Request; firstAvailable?: Request[] }[] | null };
}

/** One device of a class, unless something else is asked for. */
function defaultRequest(request: Request): void {
  request.allocationMode ||= 'ExactCount';
  if (request.allocationMode === 'ExactCount') request.count ||= 1;
}

function defaultClaim(spec: ClaimSpec | undefined): void {
  for (const { exactly, firstAvailable = [] } of spec?.devices?.requests ?? []) {
    if (exactly) defaultRequest(exactly);
    for (const request of firstAvailable) defaultRequest(request);
  }
}

export const resourceClaim: Strategy = {
  generation: false,
  statusSubresource: true,
  defaults: (object) => defaultClaim(object.spec as ClaimSpec | undefined),
};

export const resourceClaimTemplate: Strategy = {
  generation: false,
  statusSubresource: false,
  defaults: (object) => defaultClaim((object.spec as { spec?: ClaimSpec } | undefined)?.spec),
};
