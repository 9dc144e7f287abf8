import { type Diagnosis, defineDiagnosis, diagnose } from '@tiphys/diagnosis';

const unsupportedOption = defineDiagnosis('SyncOptionUnsupported', 'A sync option is not known or not supported');

/** Options with the values that they may have; undefined means any. */
const known: Readonly<Record<string, readonly string[]>> = {
  Prune: ['true', 'false', 'confirm'],
  Delete: ['true', 'false', 'confirm'],
  Validate: ['true', 'false'],
  SkipDryRunOnMissingResource: ['true', 'false'],
  ApplyOutOfSyncOnly: ['true', 'false'],
  PruneLast: ['true', 'false'],
  PrunePropagationPolicy: ['foreground', 'background', 'orphan'],
  Replace: ['true', 'false'],
  Force: ['true', 'false'],
  ServerSideApply: ['true', 'false'],
  ClientSideApplyMigration: ['true', 'false'],
  FailOnSharedResource: ['true', 'false'],
  RespectIgnoreDifferences: ['true', 'false'],
  CreateNamespace: ['true', 'false'],
};

/** A diagnosis for each option that would otherwise be ignored. */
export function refuseUnknownOptions(options: readonly string[], field: string): Diagnosis[] {
  return options.filter(Boolean).flatMap((option) => {
    const [name = '', value = ''] = option.split('=', 2);
    const values = known[name.trim()];
    if (values?.includes(value.trim())) return [];
    return [
      diagnose(unsupportedOption, {
        message: values
          ? `Sync option ${name} cannot be ${JSON.stringify(value)}`
          : `Sync option ${JSON.stringify(option)} is not known`,
        place: { field },
        evidence: {
          found: option,
          wanted: values ? values.map((item) => `${name}=${item}`).join(', ') : Object.keys(known).join(', '),
        },
        remedies: ['Correct or remove the option'],
      }),
    ];
  });
}
