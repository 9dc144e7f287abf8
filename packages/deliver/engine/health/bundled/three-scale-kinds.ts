import { textAt, valueAt } from '../../model/fields.ts';
import { type Case, type Check, type Checks, conditions, firstOf, given, own, ranked, when } from './check.ts';

/** The conditions of 3scale that mean that something is wrong, with the words for one without a message. */
const troubles: Readonly<Record<string, readonly ['Degraded' | 'Suspended' | 'Progressing', string]>> = {
  Invalid: ['Degraded', 'configuration is invalid'],
  Orphan: ['Degraded', 'references non-existing resources'],
  Failed: ['Degraded', 'synchronization failed'],
  Waiting: ['Suspended', 'is waiting for approval'],
  'In-progress': ['Progressing', 'is in progress'],
};

interface Words {
  /** Condition of success, and how it is told. */
  readonly good: readonly [type: string, told: string];
  readonly bad: readonly string[];
  /** Other words for `Failed`. */
  readonly failed?: string;
  /** Asked first. */
  readonly before?: Check;
}

function capability(kind: string, { good: [type, told], bad, failed, before }: Words): Check {
  const cases = bad.map((name): Case => {
    const [code, words] = troubles[name] as (typeof troubles)[string];
    const text = name === 'Failed' && failed !== undefined ? failed : `3scale ${kind} ${words}`;
    return when(name, 'True', code, own(text));
  });
  return firstOf(
    ['Progressing', `Waiting for 3scale ${kind} status...`],
    ...(before ? [before] : []),
    conditions(when(type, 'True', 'Healthy', `3scale ${kind} ${told}`), ...cases),
  );
}

const isId = (value: unknown) => typeof value === 'number' && value > 0;

const application = firstOf(
  ['Progressing', 'Waiting for 3scale Application status...'],
  given((object) => textAt(object, 'status', 'state') === 'suspended', 'Suspended', '3scale Application is suspended'),
  (object) => {
    const unless = isId(valueAt(object, 'status', 'adminId'));
    const bad: Case = {
      type: 'Ready',
      unless: 'True',
      code: 'Degraded',
      message: own('3scale Application is not ready'),
    };
    return conditions(
      when('Ready', 'True', 'Healthy', '3scale Application is ready'),
      ...(unless ? [] : [bad]),
    )(object);
  },
);

const tenant = firstOf(
  ['Progressing', 'Waiting for 3scale Tenant status...'],
  (object) =>
    isId(valueAt(object, 'status', 'tenantId')) && isId(valueAt(object, 'status', 'adminId'))
      ? ranked(when('Ready', 'True', 'Healthy', '3scale Tenant is ready'))(object)
      : undefined,
  conditions({ type: 'Ready', unless: 'True', code: 'Degraded', message: own('3scale Tenant is degraded') }),
);

const apiManager: Check = (object) => {
  const has = (name: string) => valueAt(object, 'status', 'deployments', name) !== undefined;
  return firstOf(
    ['Progressing', 'Waiting for 3scale APIManager status...'],
    given(() => has('ready') && !has('starting') && !has('stopped'), 'Healthy', '3scale APIManager is available'),
    conditions(when('Available', 'True', 'Healthy', '3scale APIManager is available'), {
      type: 'Available',
      code: 'Degraded',
      message: ({ reason }) => (reason ? `3scale APIManager is degraded: ${reason}` : ''),
    }),
  )(object);
};

/** Kinds of 3scale. */
export const threeScaleKinds: Checks = {
  'apps.3scale.net/APIManager': (object) => {
    const found = apiManager(object);
    return found?.status === 'Degraded' && !found.message
      ? { status: 'Progressing', message: 'Waiting for 3scale APIManager status...' }
      : found;
  },
  'capabilities.3scale.net/ActiveDoc': capability('ActiveDoc', {
    good: ['Ready', 'is ready'],
    bad: ['Invalid', 'Orphan', 'Failed'],
  }),
  'capabilities.3scale.net/Application': application,
  'capabilities.3scale.net/ApplicationAuth': capability('ApplicationAuth', {
    good: ['Ready', 'is ready'],
    bad: ['Failed'],
    failed: '3scale ApplicationAuth failed',
  }),
  'capabilities.3scale.net/Backend': capability('Backend', {
    good: ['Synced', 'is synced'],
    bad: ['Invalid', 'Failed'],
  }),
  'capabilities.3scale.net/CustomPolicyDefinition': capability('CustomPolicyDefinition', {
    good: ['Ready', 'is ready'],
    bad: ['Invalid', 'Failed'],
  }),
  'capabilities.3scale.net/DeveloperAccount': capability('DeveloperAccount', {
    good: ['Ready', 'is ready'],
    bad: ['Invalid', 'Failed', 'Waiting'],
  }),
  'capabilities.3scale.net/DeveloperUser': capability('DeveloperUser', {
    good: ['Ready', 'is ready'],
    bad: ['Invalid', 'Orphan', 'Failed'],
    before: given(
      (object) => textAt(object, 'status', 'developerUserState') === 'suspended',
      'Suspended',
      '3scale Developer user is waiting for admin approval',
    ),
  }),
  'capabilities.3scale.net/OpenAPI': capability('OpenAPI', {
    good: ['Ready', 'is ready'],
    bad: ['Invalid', 'Failed'],
    failed: '3scale OpenAPI reconciliation failed',
  }),
  'capabilities.3scale.net/Product': capability('Product', {
    good: ['Synced', 'is synced'],
    bad: ['Invalid', 'Orphan', 'Failed'],
  }),
  'capabilities.3scale.net/ProxyConfigPromote': capability('ProxyConfigPromote', {
    good: ['Ready', 'is ready'],
    bad: ['In-progress', 'Failed'],
    failed: '3cale ProxyConfigPromote failed',
  }),
  'capabilities.3scale.net/Tenant': tenant,
};
