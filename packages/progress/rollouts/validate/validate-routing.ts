import type { CanaryStrategy, Rollout } from '@tiphys/api';
import { type FieldError, invalid } from './field-error.ts';

const path = 'spec.strategy';

/** Services, ping-pong and router of a canary. */
export function validateRouting(_rollout: Rollout, canary: CanaryStrategy): FieldError[] {
  return [
    ...validateSameService(canary),
    ...validatePingPong(canary),
    ...validateNeededServices(canary),
    ...(canary.trafficRouting ? validateWithRouter(canary) : validateWithoutRouter(canary)),
  ];
}

function validateSameService({ canaryService = '', stableService = '' }: CanaryStrategy): FieldError[] {
  if (canaryService === '' || canaryService !== stableService) return [];
  return [
    invalid(
      `${path}.stableService`,
      stableService,
      'This rollout uses the same service for the stable and canary services, but two different services are required.',
      { remedies: [`Create a second Service like ${stableService}, and name it in ${path}.canary.canaryService`] },
    ),
  ];
}

function hasPlugins({ trafficRouting }: CanaryStrategy): boolean {
  return Object.keys(trafficRouting?.plugins ?? {}).length > 0;
}

function validatePingPong(canary: CanaryStrategy): FieldError[] {
  const { pingPong, trafficRouting: routing } = canary;
  if (!pingPong) return [];
  const { pingService = '', pongService = '' } = pingPong;
  const missing = 'Ping service and Pong service must to be set to use Ping-Pong feature';
  const errors: FieldError[] = [];
  if (routing && !routing.alb && !routing.istio && !hasPlugins(canary))
    errors.push(
      invalid(
        `${path}.trafficRouting.alb`,
        null,
        'Ping-pong feature works with the ALB, Istio, and plugin-based traffic routers only',
        { remedies: ['Remove pingPong, and name canaryService and stableService; or use one of these routers'] },
      ),
    );
  if (pingService === '') errors.push(invalid(`${path}.pingPong.pingService`, pingService, missing));
  if (pongService === '') errors.push(invalid(`${path}.pingPong.pongService`, pongService, missing));
  if (pingService === pongService)
    errors.push(
      invalid(
        `${path}.pingPong.pingService`,
        pingService,
        'This rollout uses the same service for the ping and pong services, but two different services are required.',
        { remedies: ['Name two Services with the same selector in pingService and pongService'] },
      ),
    );
  if (routing?.alb && !routing.alb.rootService)
    errors.push(
      invalid(
        `${path}.trafficRouting.alb.rootService`,
        '',
        'Root service field is required for the configuration with ALB and ping-pong feature enabled',
      ),
    );
  return errors;
}

function validateNeededServices(canary: CanaryStrategy): FieldError[] {
  const { trafficRouting: routing, pingPong, canaryService = '', stableService = '' } = canary;
  if (!routing) return [];
  const others = [routing.smi, routing.apisix, routing.ambassador, routing.nginx, routing.appMesh, routing.traefik];
  const isNeeded =
    (routing.alb && !pingPong) ||
    (routing.istio && !routing.istio.destinationRule && !pingPong) ||
    others.some((router) => router !== undefined);
  if (!isNeeded) return [];
  const message = 'Canary service and Stable service must to be set to use Traffic Routing';
  return [
    ...(stableService === '' ? [invalid(`${path}.stableService`, stableService, message)] : []),
    ...(canaryService === '' ? [invalid(`${path}.canaryService`, canaryService, message)] : []),
  ];
}

function validateWithoutRouter({ scaleDownDelaySeconds, dynamicStableScale }: CanaryStrategy): FieldError[] {
  const errors: FieldError[] = [];
  if (scaleDownDelaySeconds !== undefined)
    errors.push(
      invalid(
        `${path}.scaleDownDelaySeconds`,
        scaleDownDelaySeconds,
        'Canary scaleDownDelaySeconds can only be used with traffic routing',
        { remedies: ['Remove scaleDownDelaySeconds, or add trafficRouting'] },
      ),
    );
  if (dynamicStableScale)
    errors.push(
      invalid(`${path}.dynamicStableScale`, true, 'Canary dynamicStableScale can only be used with traffic routing', {
        remedies: ['Remove dynamicStableScale, or add trafficRouting'],
      }),
    );
  return errors;
}

function validateWithRouter(canary: CanaryStrategy): FieldError[] {
  const errors: FieldError[] = [];
  if (canary.scaleDownDelaySeconds !== undefined && canary.dynamicStableScale)
    errors.push(
      invalid(
        `${path}.dynamicStableScale`,
        true,
        'Canary dynamicStableScale cannot be used with scaleDownDelaySeconds',
        { remedies: ['Remove one of dynamicStableScale and scaleDownDelaySeconds'] },
      ),
    );
  const weight = canary.trafficRouting?.maxTrafficWeight;
  if (weight !== undefined && !canary.trafficRouting?.nginx && !hasPlugins(canary))
    errors.push(
      invalid(
        `${path}.trafficRouting.maxTrafficWeight`,
        weight,
        'Canary maxTrafficWeight in traffic routing only supported in Nginx and Plugins',
        { remedies: ['Remove maxTrafficWeight: weights are of 100 then'] },
      ),
    );
  return errors;
}
