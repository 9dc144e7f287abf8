import { defineDiagnosis, failure } from '@tiphys/diagnosis';
import { type LabelRequirement, labelRequirements, meets } from '@tiphys/workflow-database';

const conditionInvalid = defineDiagnosis(
  'ResourceConditionInvalid',
  'A success or failure condition of a resource template cannot be read',
);
const conditionFailed = defineDiagnosis(
  'ResourceFailed',
  'An object that a workflow has made meets its failure condition',
);

/** What a resource template waits for. */
export interface Conditions {
  readonly success: readonly Requirement[];
  readonly failure: readonly Requirement[];
}

type Requirement = LabelRequirement & { readonly text: string };

/**
 * Conditions as Argo Workflows reads them: selectors whose keys are paths into the object, such as `status.phase in (Succeeded)`. Throws a
 * diagnosis for what cannot be read.
 */
export function readConditions(success = '', failing = ''): Conditions {
  return { success: requirements(success, 'successCondition'), failure: requirements(failing, 'failureCondition') };
}

function requirements(text: string, field: string): Requirement[] {
  try {
    return labelRequirements(text).map((each) => ({ ...each, text: describe(each) }));
  } catch (error) {
    throw failure(
      conditionInvalid,
      {
        message: `${field} '${text}' failed to parse: ${(error as Error).message}`,
        place: { field: `resource.${field}` },
        remedies: ['Write it as a selector: status.phase == Succeeded, status.succeeded > 0, status.phase in (A, B)'],
      },
      { cause: error },
    );
  }
}

/** True if the object has come to its end; false if it has not yet. Throws a diagnosis where the failure condition holds. */
export function isReached(object: object, { success, failure: failing }: Conditions): boolean {
  for (const requirement of failing)
    if (holds(object, requirement))
      throw failure(conditionFailed, {
        message: `failure condition '${requirement.text}' evaluated true`,
        place: { field: 'resource.failureCondition' },
        remedies: ['Look at the status and events of the object that the step has made'],
      });
  return success.every((requirement) => holds(object, requirement));
}

function holds(object: object, requirement: Requirement): boolean {
  const value = valueAt(object, requirement.key);
  return meets(value === undefined ? {} : { [requirement.key]: value }, [requirement]);
}

/** What is at a path, as text; undefined where nothing is. A dot in a name is written `\.`. */
function valueAt(object: object, path: string): string | undefined {
  let at: unknown = object;
  for (const name of path.split('.')) {
    if (at === null || typeof at !== 'object' || !Object.hasOwn(at, name)) return undefined;
    at = (at as Record<string, unknown>)[name];
  }
  if (at === null || at === undefined) return at === null ? '' : undefined;
  return typeof at === 'object' ? JSON.stringify(at) : String(at);
}

function describe({ key, operator, values }: LabelRequirement): string {
  const list = `(${values.join(',')})`;
  switch (operator) {
    case 'exists':
      return key;
    case 'absent':
      return `!${key}`;
    case 'in':
      return values.length === 1 ? `${key}=${values[0]}` : `${key} in ${list}`;
    case 'notin':
      return values.length === 1 ? `${key}!=${values[0]}` : `${key} notin ${list}`;
    default:
      return `${key}${operator === 'greater' ? '>' : '<'}${values[0]}`;
  }
}
