import { defaultKeymap, history, historyKeymap, indentWithTab } from '@codemirror/commands';
import { type Diagnostic, linter, lintGutter } from '@codemirror/lint';
import { search, searchKeymap } from '@codemirror/search';
import { EditorState } from '@codemirror/state';
import { EditorView, keymap } from '@codemirror/view';
import { useComputedColorScheme } from '@mantine/core';
import { useEffect, useRef } from 'react';
import { parseDocument } from 'yaml';
import { yamlLook } from './editor.ts';

interface YamlEditorProps {
  /** What it begins with; what comes later under another `name` begins anew. */
  text: string;
  name: string;
  change: (text: string) => void;
  label: string;
}

/** YAML to be written: mistakes are marked where they are, keys as in other editors; Escape and then Tab leaves it. */
export function YamlEditor({ text, name, change, label }: YamlEditorProps) {
  const host = useRef<HTMLDivElement>(null);
  const dark = useComputedColorScheme('light') === 'dark';
  const latest = useRef({ change, text });
  latest.current = { change, text };
  // biome-ignore lint/correctness/useExhaustiveDependencies: another name is another document
  useEffect(() => {
    if (!host.current) return undefined;
    const view = new EditorView({
      parent: host.current,
      state: EditorState.create({
        doc: latest.current.text,
        extensions: [
          ...yamlLook(dark),
          history(),
          search({ top: true }),
          keymap.of([...defaultKeymap, ...historyKeymap, ...searchKeymap, indentWithTab]),
          lintGutter(),
          linter(({ state }) => mistakesOf(state.doc.toString())),
          EditorView.contentAttributes.of({ 'aria-label': label }),
          EditorView.updateListener.of((update) => {
            if (update.docChanged) latest.current.change(update.state.doc.toString());
          }),
        ],
      }),
    });
    return () => view.destroy();
  }, [name, dark, label]);
  return <div ref={host} className="panel yaml-editor" />;
}

function mistakesOf(text: string): Diagnostic[] {
  return parseDocument(text).errors.map(({ pos, message }) => ({
    from: Math.min(pos[0], text.length),
    to: Math.min(Math.max(pos[1], pos[0]), text.length),
    severity: 'error',
    message: message.split('\n')[0] ?? message,
  }));
}
