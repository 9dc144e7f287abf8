import { objectsAt, textAt, valueAt } from '../../model/fields.ts';
import { health } from '../conditions.ts';
import { type Check, type Checks, hasStatus, judge, when } from './check.ts';

const upToDate = health('Healthy', 'Resource is up-to-date.');
const provisioning = health('Progressing', 'Provisioning ...');

/** Whatever a provider of Crossplane manages. Kinds without a status are fine as they are. */
export function managedResource(withoutStatus: readonly string[], readyTypes: readonly string[]): Check {
  return (object) => {
    const empty = hasStatus(object) && Object.keys(object.status as object).length === 0;
    if (!hasStatus(object) || (empty && withoutStatus.includes(object.kind))) return upToDate;
    if (!Array.isArray(valueAt(object, 'status', 'conditions'))) {
      const config = object.kind === 'ProviderConfig' || object.kind === 'ClusterProviderConfig';
      const used = config && valueAt(object, 'status', 'users') !== undefined;
      return used ? health('Healthy', 'Resource is in use.') : provisioning;
    }
    const list = objectsAt(object, 'status', 'conditions');
    const failed = judge(list, [when(['LastAsyncOperation', 'Synced'], 'False', 'Degraded')]);
    if (failed) return failed;
    return list.some(({ type, status }) => status === 'True' && readyTypes.includes(String(type)))
      ? upToDate
      : provisioning;
  };
}

/** The older providers for AWS tell being ready and being in step with the cloud apart. */
function classic(what: string): Check {
  return (object) => {
    if (!Array.isArray(valueAt(object, 'status', 'conditions')))
      return health('Progressing', `Waiting for ${what} to be created`);
    const list = objectsAt(object, 'status', 'conditions');
    const last = (type: string) => list.findLast((condition) => condition.type === type);
    const [isReady, isSynced] = [last('Ready')?.status === 'True', last('Synced')?.status === 'True'];
    if (isReady && isSynced) return health('Healthy', textAt(last('Ready'), 'reason'));
    const synced = (reason: string) =>
      list.findLast((condition) => condition.type === 'Synced' && condition.reason === reason);
    const paused = synced('ReconcilePaused');
    if (!isSynced && paused) return health('Suspended', textAt(paused, 'reason'));
    if (!isReady && isSynced && !paused) return health('Progressing', `Waiting for ${what} to be available`);
    return health('Degraded', textAt(synced('ReconcileError'), 'message'));
  };
}

const provider: Check = (object) => {
  if (!Array.isArray(valueAt(object, 'status', 'conditions')))
    return health('Progressing', 'Waiting for provider to be installed');
  const list = objectsAt(object, 'status', 'conditions');
  const last = (type: string) => list.findLast((condition) => condition.type === type);
  const good = last('Installed')?.status === 'True' && last('Healthy')?.status === 'True';
  const message = `${textAt(last('Installed'), 'reason')} ${textAt(last('Healthy'), 'reason')}`;
  return health(good ? 'Healthy' : 'Degraded', message);
};

const stackInstall: Check = (object) => {
  const list = objectsAt(object, 'status', 'conditionedStatus', 'conditions');
  const all = list.filter(({ type }) => type === 'Ready');
  const good = all.find(({ status }) => status === 'True');
  if (good) return health('Healthy', textAt(good, 'reason'));
  const last = all.at(-1);
  return health('Progressing', last ? textAt(last, 'reason') : 'Waiting for stack to be installed');
};

/** Kinds of Crossplane with rules of their own. */
export const crossplaneKinds: Checks = {
  'cloudfront.aws.crossplane.io/Distribution': classic('distribution'),
  'iam.aws.crossplane.io/Policy': classic('Policy'),
  'iam.aws.crossplane.io/Role': classic('Role'),
  'iam.aws.crossplane.io/RolePolicyAttachment': classic('RolePolicyAttachment'),
  'pkg.crossplane.io/Provider': provider,
  'rds.aws.crossplane.io/DBCluster': classic('DBCluster'),
  'rds.aws.crossplane.io/DBInstance': classic('DBInstance'),
  'route53.aws.crossplane.io/ResourceRecordSet': classic('resourcrecordset'),
  's3.aws.crossplane.io/Bucket': classic('Bucket'),
  'stacks.crossplane.io/ClusterStackInstall': stackInstall,
};
