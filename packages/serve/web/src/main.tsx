import '@mantine/core/styles.css';
import './style.css';
import { MantineProvider } from '@mantine/core';
import { MutationCache, QueryCache, QueryClient, QueryClientProvider } from '@tanstack/react-query';
import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { RequestError } from './api/client.ts';
import { App } from './app.tsx';
import { theme } from './browser/theme.ts';
import { setTrustedTypes } from './browser/trusted-types.ts';
import { loadZone } from './browser/zone.ts';
import { loadTexts, preferredLanguage } from './i18n/texts.ts';

setTrustedTypes();

/** A session that has ended is told by whatever is asked next: who is logged in is asked anew, and the page asks for a login. */
const onError = (error: unknown) => {
  if (error instanceof RequestError && error.status === 401) void queries.invalidateQueries({ queryKey: ['user'] });
};
const queries: QueryClient = new QueryClient({
  queryCache: new QueryCache({ onError }),
  mutationCache: new MutationCache({ onError }),
  defaultOptions: { queries: { retry: 1, staleTime: 2_000, refetchOnWindowFocus: true } },
});

loadZone();
await loadTexts(preferredLanguage());
// the server says so where there are any: nobody else loads what they need
if (document.documentElement.hasAttribute('data-extended'))
  void import('./extensions/host.ts').then(({ runExtensions }) => runExtensions());

createRoot(document.getElementById('root') as HTMLElement).render(
  <StrictMode>
    <MantineProvider theme={theme} defaultColorScheme="auto">
      <QueryClientProvider client={queries}>
        <App />
      </QueryClientProvider>
    </MantineProvider>
  </StrictMode>,
);
