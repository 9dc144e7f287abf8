import { builtin } from '@tiphys/apimachinery';
import { isFields, type KubeObject } from '@tiphys/kubernetes';

type Fields = Record<string, unknown>;

/** Where in a type there are lists and maps that are printed even if they are empty. */
interface Plan {
  /** Fields that are such lists and maps themselves. */
  readonly own: readonly string[];
  /** Fields whose values, or the items of their lists and maps, have some. */
  readonly inner: readonly (readonly [name: string, plan: Plan])[];
}

const plans = new Map<string, Plan | undefined>();

function planOf(type: string): Plan | undefined {
  if (plans.has(type)) return plans.get(type);
  // A type that contains itself is looked at once.
  plans.set(type, undefined);
  const fields = builtin().types[type] ?? [];
  const own = fields.filter(([, expression, flags]) => /^[[{]/.test(expression) && !flags.includes('o'));
  const inner = fields.flatMap(([name, expression]) => {
    const plan = planOf(expression.replace(/^[[{]+/, ''));
    return plan ? [[name, plan] as const] : [];
  });
  const plan = own.length || inner.length ? { own: own.map(([name]) => name), inner } : undefined;
  plans.set(type, plan);
  return plan;
}

/**
 * Changes an object into what its type is read back as: storage in protobuf knows no difference of an empty list or map
 * and none, so that those which are always printed are null.
 */
export function nullEmpty(type: string, object: KubeObject): void {
  const plan = planOf(type);
  if (plan) follow(plan, object);
}

function follow({ own, inner }: Plan, value: Fields): void {
  for (const name of own) if (isEmpty(value[name])) value[name] = null;
  for (const [name, plan] of inner) {
    const found = value[name];
    for (const item of Array.isArray(found) ? found : [found]) if (isFields(item)) follow(plan, item);
  }
}

function isEmpty(value: unknown): boolean {
  if (Array.isArray(value)) return value.length === 0;
  return typeof value === 'object' && value !== null && Object.keys(value).length === 0;
}
