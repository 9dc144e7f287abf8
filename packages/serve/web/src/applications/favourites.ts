import { useLocalStorage } from '@mantine/hooks';
import { useCallback, useMemo } from 'react';

/** Applications that this browser's user marked, as `namespace/name`. */
export function useFavourites(): {
  keys: readonly string[];
  has: (key: string) => boolean;
  toggle: (key: string) => void;
} {
  const [keys, setKeys] = useLocalStorage<string[]>({
    key: 'tiphys.favourites',
    defaultValue: [],
    getInitialValueInEffect: false,
  });
  const known = useMemo(() => new Set(keys), [keys]);
  const toggle = useCallback(
    (key: string) =>
      setKeys((before) => (before.includes(key) ? before.filter((one) => one !== key) : [...before, key])),
    [setKeys],
  );
  const has = useCallback((key: string) => known.has(key), [known]);
  return { keys, has, toggle };
}
