import type { Container } from '@tiphys/kube-controllers';
import type { ContainerNews } from './container-news.ts';
import type { ContainerBehavior } from './pod-behavior.ts';

type PullError = NonNullable<ContainerBehavior['pullError']>;

const normal = (reason: string, message: string): ContainerNews => ({ type: 'Normal', reason, message });
const warning = (reason: string, message: string): ContainerNews => ({ type: 'Warning', reason, message });

/** That the image is there, after so many milliseconds where it had to be asked for. */
export function pulled({ image, imagePullPolicy }: Container, milliseconds: number): ContainerNews[] {
  if (imagePullPolicy !== 'Always') return [normal('Pulled', `Container image "${image}" already present on machine`)];
  const took = `${milliseconds}ms`;
  return [
    normal('Pulling', `Pulling image "${image}"`),
    normal('Pulled', `Successfully pulled image "${image}" in ${took} (${took} including waiting).`),
  ];
}

/** Names that are none, and images that may not be pulled, are never asked for. */
export function pullFailed({ image }: Container, { reason, message }: PullError): ContainerNews[] {
  const failed = warning('Failed', `Error: ${reason}`);
  if (reason !== 'ErrImagePull')
    return [warning(reason === 'ErrImageNeverPull' ? reason : 'InspectFailed', message), failed];
  return [
    normal('Pulling', `Pulling image "${image}"`),
    warning('Failed', `Failed to pull image "${image}": ${message}`),
    failed,
  ];
}

export function pullBackedOff({ image }: Container): ContainerNews[] {
  return [normal('BackOff', `Back-off pulling image "${image}"`), warning('Failed', 'Error: ImagePullBackOff')];
}
