import { type Diagnosis, defineDiagnosis, diagnose, nearestName } from '@tiphys/diagnosis';

const unsupportedOption = defineDiagnosis('SyncOptionUnsupported', 'A sync option is not known or not supported');

/** Where an option may stand: with the application or its operation, and in the annotation `argocd.argoproj.io/sync-options` of an object. */
export type SyncOptionScope = 'application' | 'object' | 'both';

/** One sync option, as docs/sync-options.md and every reader of options has it. */
export interface SyncOption {
  readonly name: string;
  readonly values: readonly string[];
  readonly default: string;
  readonly scope: SyncOptionScope;
  /** What it does, and which side wins where both name it. */
  readonly meaning: string;
}

const flag = ['true', 'false'] as const;

/** All sync options. Where an object and the application name the same one, the object's holds unless `meaning` says otherwise. */
export const syncOptionTable: readonly SyncOption[] = [
  {
    name: 'Prune',
    values: [...flag, 'confirm'],
    default: 'true',
    scope: 'both',
    meaning:
      'false keeps what left the source; confirm waits for the annotation argocd.argoproj.io/deletion-approved. Without it helm.sh/resource-policy: keep is obeyed',
  },
  {
    name: 'Delete',
    values: [...flag, 'confirm'],
    default: 'true',
    scope: 'both',
    meaning: 'false keeps the object when the application is deleted; confirm waits for the same annotation',
  },
  {
    name: 'Validate',
    values: flag,
    default: 'true',
    scope: 'both',
    meaning: 'false lets fields through that the schema does not know',
  },
  {
    name: 'SkipDryRunOnMissingResource',
    values: flag,
    default: 'false',
    scope: 'both',
    meaning:
      'true leaves the dry run out where the kind is not served yet. A definition in the same sync does so by itself',
  },
  {
    name: 'ApplyOutOfSyncOnly',
    values: flag,
    default: 'false',
    scope: 'application',
    meaning: 'true leaves what is in sync alone; otherwise everything is applied',
  },
  {
    name: 'PruneLast',
    values: flag,
    default: 'false',
    scope: 'both',
    meaning: 'true deletes after everything else is healthy, as the last wave',
  },
  {
    name: 'PrunePropagationPolicy',
    values: ['foreground', 'background', 'orphan'],
    default: 'foreground',
    scope: 'application',
    meaning: 'how what is owned by a deleted object goes with it',
  },
  {
    name: 'Replace',
    values: flag,
    default: 'false',
    scope: 'both',
    meaning:
      'true replaces objects in place of patching them; true of an object comes before false of the application and the other way round',
  },
  {
    name: 'Force',
    values: flag,
    default: 'false',
    scope: 'both',
    meaning: 'true deletes and creates what cannot be changed in place; true on either side holds',
  },
  {
    name: 'ServerSideApply',
    values: flag,
    default: 'false',
    scope: 'both',
    meaning: 'true lets the API server merge, and keeps who owns which field',
  },
  {
    name: 'ClientSideApplyMigration',
    values: flag,
    default: 'true',
    scope: 'application',
    meaning: 'false leaves the fields of kubectl-client-side-apply to it when server-side apply begins',
  },
  {
    name: 'FailOnSharedResource',
    values: flag,
    default: 'false',
    scope: 'application',
    meaning: 'true refuses the sync while an object belongs to another application',
  },
  {
    name: 'RespectIgnoreDifferences',
    values: flag,
    default: 'false',
    scope: 'application',
    meaning: 'true leaves fields of ignoreDifferences as they are live',
  },
  {
    name: 'CreateNamespace',
    values: flag,
    default: 'false',
    scope: 'application',
    meaning: 'true makes the namespace of the destination where it is missing, with managedNamespaceMetadata',
  },
];

const known: ReadonlyMap<string, SyncOption> = new Map(syncOptionTable.map((option) => [option.name, option]));

/** A diagnosis for each option that would otherwise be ignored. */
export function refuseUnknownOptions(options: readonly string[], field: string): Diagnosis[] {
  return options.filter(Boolean).flatMap((option) => {
    const [name = '', value = ''] = option.split('=', 2);
    const values = known.get(name.trim())?.values;
    if (values?.includes(value.trim())) return [];
    const nearest = nearestName(
      option,
      syncOptionTable.flatMap((entry) => entry.values.map((each) => `${entry.name}=${each}`)),
    );
    return [
      diagnose(unsupportedOption, {
        message: values
          ? `Sync option ${name} cannot be ${JSON.stringify(value)}`
          : `Sync option ${JSON.stringify(option)} is not known`,
        place: { field },
        evidence: {
          found: option,
          wanted: values ? values.map((item) => `${name}=${item}`).join(', ') : [...known.keys()].join(', '),
        },
        remedies: [nearest ? `Write ${nearest} in place of ${option}` : 'Correct or remove the option'],
      }),
    ];
  });
}
