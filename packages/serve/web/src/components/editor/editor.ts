import { yaml } from '@codemirror/lang-yaml';
import { HighlightStyle, syntaxHighlighting } from '@codemirror/language';
import { EditorState, type Extension } from '@codemirror/state';
import { EditorView, lineNumbers } from '@codemirror/view';
import { tags } from '@lezer/highlight';
import { t } from '../../i18n/texts.ts';

const colours = HighlightStyle.define([
  { tag: [tags.propertyName, tags.definition(tags.propertyName)], color: 'light-dark(#0b5394, #7cc4f5)' },
  { tag: [tags.string, tags.special(tags.string)], color: 'light-dark(#9c2f1c, #f0a58f)' },
  { tag: [tags.number, tags.bool, tags.null, tags.keyword, tags.atom], color: 'light-dark(#0f6b3c, #7fd6a4)' },
  { tag: tags.comment, color: 'var(--soft)', fontStyle: 'italic' },
  { tag: [tags.meta, tags.punctuation, tags.separator], color: 'var(--soft)' },
]);

/** Read-only YAML in the colours of the page; keys scroll it. */
export function readOnlyYaml(dark: boolean): Extension[] {
  return [
    ...yamlLook(dark),
    EditorState.readOnly.of(true),
    EditorView.editable.of(false),
    EditorView.contentAttributes.of({ tabindex: '0' }),
  ];
}

export function yamlLook(dark: boolean): Extension[] {
  return [
    EditorState.phrases.of({ '$ unchanged lines': t('$ unchanged lines'), Completions: t('Completions') }),
    lineNumbers(),
    yaml(),
    syntaxHighlighting(colours),
    EditorView.lineWrapping,
    EditorView.theme(
      {
        '&': { backgroundColor: 'transparent' },
        '.cm-gutters': { backgroundColor: 'transparent', border: 'none', color: 'var(--soft)' },
        '.cm-content': { fontFamily: 'var(--mantine-font-family-monospace)' },
      },
      { dark },
    ),
  ];
}
