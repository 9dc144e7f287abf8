import type { Container, PodSpec } from '@tiphys/kinds';
import { parseQuantity, type Quantity } from '@tiphys/kubernetes';

/** Amounts by name of the resource. */
export type Amounts = Map<string, Quantity>;

export function amountsOf(list: Record<string, string> | undefined): Amounts {
  const result: Amounts = new Map();
  for (const [name, text] of Object.entries(list ?? {})) {
    const quantity = parseQuantity(String(text));
    if (quantity) result.set(name, quantity);
  }
  return result;
}

export function addAmounts(one: Amounts, other: Amounts): Amounts {
  const result = new Map(one);
  for (const [name, quantity] of other) {
    const before = result.get(name);
    result.set(name, before && before.nano !== 0n ? { ...before, nano: before.nano + quantity.nano } : quantity);
  }
  return result;
}

function maximum(one: Amounts, other: Amounts): Amounts {
  const result = new Map(one);
  for (const [name, quantity] of other) {
    const before = result.get(name);
    if (!before || quantity.nano > before.nano) result.set(name, quantity);
  }
  return result;
}

/** What a pod needs: the sum of its containers, or the most that an init container needs; sidecars count with both. */
export function podAmounts(spec: PodSpec, side: 'requests' | 'limits'): Amounts {
  const of = ({ resources }: Container) => amountsOf(resources?.[side]);
  let total: Amounts = new Map();
  for (const container of spec.containers ?? []) total = addAmounts(total, of(container));
  let sidecars: Amounts = new Map();
  let init: Amounts = new Map();
  for (const container of spec.initContainers ?? []) {
    if (container.restartPolicy === 'Always') {
      total = addAmounts(total, of(container));
      sidecars = addAmounts(sidecars, of(container));
      init = maximum(init, sidecars);
    } else init = maximum(init, addAmounts(of(container), sidecars));
  }
  total = maximum(total, init);
  const { resources, overhead } = spec as PodSpec & {
    resources?: { limits?: Record<string, string>; requests?: Record<string, string> };
    overhead?: Record<string, string>;
  };
  for (const [name, quantity] of amountsOf(resources?.[side])) total.set(name, quantity);
  return side === 'requests' || total.size ? addAmounts(total, overheadOf(overhead, side, total)) : total;
}

function overheadOf(overhead: Record<string, string> | undefined, side: string, total: Amounts): Amounts {
  return new Map([...amountsOf(overhead)].filter(([name]) => side === 'requests' || total.has(name)));
}
