import { useMediaQuery } from '@mantine/hooks';

/** Whether the page is as narrow as a phone. */
export function useNarrow(): boolean {
  return useMediaQuery('(max-width: 48em)', false, { getInitialValueInEffect: false });
}
