import type { ComparedResource } from '@tiphys/engine';

type Data = Readonly<Record<string, unknown>>;

/** Keys of a ConfigMap or Secret that hold something and would hold nothing after a sync; names alone. */
export function settingsLosses({ live, desired, normalized }: ComparedResource): string[] {
  if (!live || !desired) return [];
  const after = { ...dataOf(normalized?.predicted ?? desired) };
  const wanted = { ...dataOf(desired), ...((desired.stringData ?? {}) as Data) };
  return Object.entries(dataOf(live))
    .filter(([key, value]) => {
      if (value === '' || value === undefined) return false;
      const dropped = !Object.hasOwn(after, key) && !Object.hasOwn(wanted, key);
      const emptied = Object.hasOwn(wanted, key) && wanted[key] === '';
      return dropped || emptied;
    })
    .map(([key]) => key)
    .sort();
}

function dataOf({ data, binaryData }: Readonly<Record<string, unknown>>): Data {
  return { ...((data ?? {}) as Data), ...((binaryData ?? {}) as Data) };
}
