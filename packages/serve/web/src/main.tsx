import '@mantine/core/styles.css';
import './style.css';
import { MantineProvider } from '@mantine/core';
import { QueryClient, QueryClientProvider } from '@tanstack/react-query';
import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { App } from './app.tsx';
import { theme } from './browser/theme.ts';
import { setTrustedTypes } from './browser/trusted-types.ts';
import { loadZone } from './browser/zone.ts';
import { loadTexts, preferredLanguage } from './i18n/texts.ts';

setTrustedTypes();

const queries = new QueryClient({
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
