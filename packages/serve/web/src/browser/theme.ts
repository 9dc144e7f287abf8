import { createTheme, type MantineColorsTuple } from '@mantine/core';

const sea: MantineColorsTuple = [
  '#e6fafd',
  '#d5f1f6',
  '#a9e3ed',
  '#7ad4e3',
  '#57c7da',
  '#41bfd5',
  '#32bbd3',
  '#22a4bb',
  '#007f93',
  '#006577',
];

/** The library's own greys beside the bluish ones of the page: one family of colours in the dark, too. */
const dark: MantineColorsTuple = [
  '#c9d1d6',
  '#b3bec5',
  '#8a979f',
  '#64727b',
  '#3a454c',
  '#303a41',
  '#252d32',
  '#1c2226',
  '#14181b',
  '#0e1214',
];

export const theme = createTheme({
  primaryColor: 'sea',
  primaryShade: 9,
  colors: { sea, dark },
  fontFamily: 'Inter, ui-sans-serif, system-ui, -apple-system, "Segoe UI", Roboto, sans-serif',
  fontFamilyMonospace: '"JetBrains Mono", ui-monospace, SFMono-Regular, Menlo, Consolas, monospace',
  defaultRadius: 'md',
  respectReducedMotion: true,
  cursorType: 'pointer',
  headings: { fontWeight: '650' },
  components: {
    Modal: { defaultProps: { closeButtonProps: { 'aria-label': 'Close' } } },
    TableScrollContainer: { defaultProps: { scrollAreaProps: { viewportProps: { tabIndex: 0 } } } },
    Drawer: { defaultProps: { closeButtonProps: { 'aria-label': 'Close' } } },
  },
});
