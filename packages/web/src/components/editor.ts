import { yaml } from '@codemirror/lang-yaml';
import { defaultHighlightStyle, syntaxHighlighting } from '@codemirror/language';
import { EditorState, type Extension } from '@codemirror/state';
import { EditorView, lineNumbers } from '@codemirror/view';

/** Read-only YAML in the colours of the page. */
export function readOnlyYaml(dark: boolean): Extension[] {
  return [
    lineNumbers(),
    yaml(),
    syntaxHighlighting(defaultHighlightStyle, { fallback: true }),
    EditorState.readOnly.of(true),
    EditorView.editable.of(false),
    EditorView.lineWrapping,
    EditorView.theme(
      {
        '&': { backgroundColor: 'transparent' },
        '.cm-gutters': { backgroundColor: 'transparent', border: 'none', color: 'var(--soft)' },
        '.cm-content': { fontFamily: 'var(--mantine-font-family-monospace)' },
        ...(dark ? { '.cm-line span': { filter: 'brightness(1.9) saturate(0.8)' } } : {}),
      },
      { dark },
    ),
  ];
}
