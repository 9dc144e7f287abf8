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

export const theme = createTheme({
  primaryColor: 'sea',
  primaryShade: 9,
  colors: { sea },
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
