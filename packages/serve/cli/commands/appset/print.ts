import type { ApplicationSet } from '@tiphys/api';
import type { Origin, Preview } from '@tiphys/applicationsets';
import { formatDiagnosis } from '@tiphys/diagnosis';
import { type Output, paint, structured, table } from '../../terminal/output.ts';
import { paintStatus } from '../../terminal/status-colour.ts';
import { printFamilyDiagnoses } from '../common/family-diagnoses.ts';

const qualified = ({ metadata }: ApplicationSet) => `${metadata.namespace}/${metadata.name}`;

/** What `tiphys appset list` prints, in the columns of `argocd appset list`. */
export function printApplicationSets(output: Output, sets: readonly ApplicationSet[], format: string): void {
  if (format === 'json' || format === 'yaml') {
    output.out(structured(format, sets));
    return;
  }
  if (format === 'name') {
    output.out(sets.map(qualified).join('\n'));
    return;
  }
  const rows = sets.map((set) => [
    qualified(set),
    set.spec.template.spec.project || 'default',
    set.spec.syncPolicy?.applicationsSync ?? 'nil',
    String(set.status?.resourcesCount ?? set.status?.resources?.length ?? 0),
    set.status?.health?.status ?? 'Unknown',
    (set.status?.conditions ?? [])
      .filter(({ status }) => status === 'True')
      .map(({ type }) => type)
      .join(',') || '<none>',
  ]);
  output.out(table([['NAME', 'PROJECT', 'SYNCPOLICY', 'APPLICATIONS', 'HEALTH', 'CONDITIONS'], ...rows]));
}

/** One set: its conditions, what is wrong, and its Applications with their elements. */
export function printApplicationSet(
  output: Output,
  set: ApplicationSet,
  elements: readonly { application: string; origin: Origin }[],
): void {
  const { status = {} } = set;
  output.out(
    table([
      ['Name:', qualified(set)],
      ['Project:', set.spec.template.spec.project || 'default'],
      ['Policy:', set.spec.syncPolicy?.applicationsSync ?? 'sync'],
      ['Health:', paintStatus(output, status.health?.status ?? 'Unknown')],
    ]),
  );
  const conditions = (status.conditions ?? []).map(({ type, status: is, reason, message }) => [
    type,
    is,
    reason,
    message,
  ]);
  if (conditions.length > 0) output.out(`\n${table([['CONDITION', 'STATUS', 'REASON', 'MESSAGE'], ...conditions])}`);
  printFamilyDiagnoses(output, status.diagnoses ?? []);
  const origins = new Map(elements.map(({ application, origin }) => [application, origin]));
  const steps = new Map(
    (status.applicationStatus ?? []).map((item) => [item.application, `${item.step} ${item.status}`]),
  );
  const rows = (status.resources ?? []).map(({ name = '', status: sync, health }) => [
    name,
    sync ?? 'Unknown',
    health?.status ?? 'Unknown',
    steps.get(name) ?? '',
    origins.get(name)?.element ?? '',
    origins.get(name)?.field ?? '',
  ]);
  if (rows.length > 0)
    output.out(`\n${table([['APPLICATION', 'STATUS', 'HEALTH', 'STEP', 'ELEMENT', 'GENERATOR'], ...rows])}`);
}

const colours = { create: 'green', update: 'yellow', delete: 'red', refused: 'red', none: 'grey' } as const;

/** What would happen to each Application, and what fails. */
export function printPreview(output: Output, { applications, failures, gaps }: Preview): void {
  const rows = applications.map(({ name, change, origin, patch }) => [
    change === 'none' ? '-' : change,
    name,
    origin?.element ?? '',
    patch ? Object.keys((patch.spec as object | undefined) ?? patch).join(',') : '',
  ]);
  if (rows.length > 0) {
    const text = table([['CHANGE', 'APPLICATION', 'ELEMENT', 'FIELDS'], ...rows]);
    output.out(
      text.replace(/^(create|update|delete|refused)\b/gm, (word) => paint(output, colours[word as 'create'], word)),
    );
  }
  for (const { problem } of applications) if (problem) output.error(formatDiagnosis(problem));
  for (const gap of gaps) output.error(formatDiagnosis(gap));
  for (const { diagnosis } of failures) output.error(formatDiagnosis(diagnosis));
}

/** The parameters that the template gives charts, as `argocd appset get --show-params`. */
export function printParameters(output: Output, { spec }: ApplicationSet): void {
  const { source, sources = [] } = spec.template.spec;
  const rows = [...(source ? [source] : []), ...sources].flatMap(({ helm }) =>
    (helm?.parameters ?? []).map(({ name = '', value = '' }) => [name, value]),
  );
  if (rows.length > 0) output.out(`\n${table([['NAME', 'VALUE'], ...rows])}`);
}
