import { objectsAt, textAt, valueAt } from '../../model/fields.ts';
import { health } from '../conditions.ts';
import { type Check, type Checks, forKinds } from './check.ts';

interface FluxRule {
  /** Status of `Ready` under which it is under way, with `Reconciling` beside it. */
  readonly working: 'Unknown' | 'False';
  /** Reasons of `Reconciling` that count; absent: all. */
  readonly reasons?: readonly string[];
  /** Other conditions that have to be True as well, one of them. */
  readonly also?: readonly string[];
}

/** Flux: `Ready` and `Reconciling` together say that it is under way, `Ready` alone that it is done or has failed. */
function flux({ working, reasons, also }: FluxRule): Check {
  return (object) => {
    if (valueAt(object, 'spec', 'suspend') === true) return health('Suspended', `${object.kind} is suspended`);
    if (!Array.isArray(valueAt(object, 'status', 'conditions'))) return health('Progressing', 'Status unknown');
    let [progressing, succeeded, message] = [0, 0, ''];
    for (const condition of objectsAt(object, 'status', 'conditions')) {
      const { type, status } = condition;
      const reason = textAt(condition, 'reason');
      if (type === 'Ready') {
        if (status === 'True') succeeded++;
        else if (status === working) progressing++;
        message = reason;
      } else if (type === 'Reconciling' && status === 'True') {
        if (!reasons || reasons.includes(reason)) progressing++;
      } else if (type === 'ArtifactOutdated' && status === 'True' && also?.includes('ArtifactInStorage'))
        message = `${message} ${reason}`;
      else if (also?.includes(String(type)) && status === 'True') succeeded++;
    }
    if (progressing === 2) return health('Progressing', message);
    return health(succeeded === (also ? 2 : 1) ? 'Healthy' : 'Degraded', message);
  };
}

const source = flux({ working: 'Unknown', also: ['ArtifactInStorage'] });
const plain = flux({ working: 'Unknown' });

const helmRepository: Check = (object) => {
  if (valueAt(object, 'spec', 'suspend') !== true && textAt(object, 'spec', 'type') === 'oci')
    return health('Healthy', "Helm repositories of type 'oci' do not contain any information in the status.");
  return source(object);
};

/** Nothing that it does takes long: what is not ready has failed. */
const receiver: Check = (object) => {
  const found = flux({ working: 'False' })(object);
  return found?.status === 'Progressing' && found.message !== 'Status unknown'
    ? { ...found, status: 'Degraded' }
    : found;
};

/** Kinds of Flux. */
export const fluxKinds: Checks = {
  'helm.toolkit.fluxcd.io/HelmRelease': flux({ working: 'Unknown', also: ['Released', 'TestSuccess'] }),
  'image.toolkit.fluxcd.io/ImagePolicy': flux({
    working: 'False',
    reasons: ['NewGeneration', 'AccessingRepository', 'ApplyingPolicy'],
  }),
  'image.toolkit.fluxcd.io/ImageRepository': flux({ working: 'False', reasons: ['NewGeneration', 'Scanning'] }),
  'image.toolkit.fluxcd.io/ImageUpdateAutomation': plain,
  'kustomize.toolkit.fluxcd.io/Kustomization': plain,
  'notification.toolkit.fluxcd.io/Receiver': receiver,
  ...forKinds('source.toolkit.fluxcd.io', ['Bucket', 'GitRepository', 'HelmChart', 'OCIRepository'], () => source),
  'source.toolkit.fluxcd.io/HelmRepository': helmRepository,
};
